// SPDX-License-Identifier: MIT
// Device operations that call the backend, and the current device.
#include <limits>

#include "chainer/array/backend.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/array/memory.h"

namespace chainer {
namespace {

// The current device: none if the backend is nullptr. (Smaller than an optional: the Python module has little room for
// memory of threads.)
constinit thread_local Backend* used_backend = nullptr;
constinit thread_local int used_index = 0;

}  // namespace

std::string Device::name() const { return backend_->name(index_); }
void Device::synchronize() const {
  deferred::run_all(*this);
  backend_->synchronize(index_);
}

void Device::use() const {
  used_backend = backend_;
  used_index = index_;
}
std::optional<Device> current_device() {
  return used_backend ? std::optional(Device(*used_backend, used_index)) : std::nullopt;
}
DeviceScope::~DeviceScope() {
  if (before_)
    before_->use();
  else
    used_backend = nullptr;
}

memory::Statistics Device::memory_statistics() const {
  return is_host() ? memory::statistics() : backend_->memory_statistics(index_);
}
void Device::reset_memory_peak() const { is_host() ? memory::reset_peak() : backend_->reset_memory_peak(index_); }
void Device::empty_cache() const { is_host() ? memory::empty_cache() : backend_->empty_cache(index_); }
void Device::set_memory_limit(int64_t bytes) const {
  is_host() ? memory::set_cache_limit(bytes ? bytes : std::numeric_limits<int64_t>::max())
            : backend_->set_memory_limit(bytes, index_);
}

}  // namespace chainer
