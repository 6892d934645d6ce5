// SPDX-License-Identifier: MIT
#include "chainer/array/host.h"

#include <atomic>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"

namespace chainer {
namespace {
std::atomic<int64_t> sent{0}, fetched{0};
}

Array Array::to_device(const Device& to) const {
  if (to == device()) return *this;
  const bool between_devices = !device().is_host() && !to.is_host();
  if (between_devices && &device().backend() != &to.backend()) return to_device(Device()).to_device(to);
  // Copies bytes as they are in memory, in this array's order of axes.
  const Array gapless = is_dense(body()) ? *this : copy();
  const Array* const like[] = {&gapless};
  Array out = empty_in_order(shape(), dtype(), to, result_order(like));
  if (size() == 0) return out;
  const auto bytes = static_cast<std::size_t>(nbytes());
  if (between_devices) {
    const void* const from = gapless.raw();
    if (to.backend().device_to_device(out.mutable_raw(), to.index(), from, device().index(), bytes)) return out;
    return to_device(Device()).to_device(to);
  }
  if (to.is_host()) {
    fetched.fetch_add(1, std::memory_order_relaxed);
    device().backend().device_to_host(device().index(), out.mutable_raw(), gapless.raw(), bytes);
  } else {
    sent.fetch_add(1, std::memory_order_relaxed);
    to.backend().host_to_device(to.index(), out.mutable_raw(), gapless.raw(), bytes);
  }
  return out;
}

Arrays on_one_device(std::string_view operation, std::span<const Array* const> operands) {
  Device device;
  for (const Array* a : operands) {
    if (a->device().is_host() || a->device() == device) continue;
    if (!device.is_host())
      throw DeviceError(operation, ": operands are on different devices, ", device, " and ", a->device());
    device = a->device();
  }
  Arrays out;
  for (const Array* a : operands) out.push_back(a->to_device(device));
  return out;
}

Transfers transfers() { return {sent.load(std::memory_order_relaxed), fetched.load(std::memory_order_relaxed)}; }

}  // namespace chainer
