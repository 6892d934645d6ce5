// SPDX-License-Identifier: MIT
#include "chainer/array/external.h"

#include "chainer/array/backend.h"
#include "chainer/array/derived.h"
#include "chainer/array/time_mark.h"

namespace chainer {

// Work of a device that reads the memory may be queued; an owner outside does not know the streams of this library.
// (A mark, unlike synchronize(), leaves the errors of that work to the next call.)
namespace {
void wait_for_reads(const Device& device) noexcept {
  if (device.is_host()) return;
  try {
    device.backend().mark(device.index())->wait();
  } catch (...) {}  // a device that is lost reads nothing any more
}
}  // namespace

ExternalBody::~ExternalBody() {
  if (!release) return;
  wait_for_reads(device);
  release();
}

Array external_array(void* data, const Shape& shape, Dtype dtype, std::function<void()> release,
                     const ExternalOptions& options) {
  // If anything fails before the body owns the function, the memory is released here.
  struct Guard {
    std::function<void()>* release;
    ~Guard() {
      if (release && *release) (*release)();
    }
  } guard{&release};
  const int64_t size = checked_size(shape, item_size(dtype), "external_array");
  const auto width = static_cast<std::uintptr_t>(item_size(dtype));
  if (size && (!data || reinterpret_cast<std::uintptr_t>(data) % width != 0))
    throw ValueError("external_array: the address of elements of ", dtype, " must be a multiple of ", width,
                     ", not at ", reinterpret_cast<std::uintptr_t>(data));
  if (options.strides && options.strides->ndim() != shape.ndim())
    throw DimensionError("external_array: ", options.strides->ndim(), " strides for shape ", shape);
  void* place = pool::allocate(sizeof(ExternalBody));
  guard.release = nullptr;  // (moving a function does not throw)
  Ref<ArrayBody> body(new (place) ExternalBody(shape, dtype, size, std::move(release)), Ref<ArrayBody>::Adopt{});
  if (options.strides) body->set_strides(*options.strides);
  body->data = static_cast<char*>(data);
  // (The body is not visible to other threads yet.)
  body->marks.store(
      ArrayBody::kExternal | (options.writable ? 0 : ArrayBody::kReadOnly) | (options.shared ? ArrayBody::kShared : 0),
      std::memory_order_relaxed);
  return Array(std::move(body));
}

void share_memory(const Array& a) {
  force(a.body());
  ArrayBody& owner = a.body().owner();
  owner.mark(ArrayBody::kShared);  // first: from here on nothing new is cached or deferred
  derived::drop(owner);
  deferred::evaluate_readers(owner);
}

}  // namespace chainer
