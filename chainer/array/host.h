// SPDX-License-Identifier: MIT
// Access through the host's memory: for loops above the backends, and for operands on two devices.
#pragma once
#include <concepts>
#include <span>
#include <type_traits>

#include "chainer/array/array.h"

namespace chainer {

/// Returns the array itself if it is on the host, else a copy on the host.
inline Array to_host(const Array& a) { return a.device().is_host() ? a : a.to_device(Device()); }

/// Calls f(arrays...) with the arrays in the host's memory and returns its result, an Array or Arrays, on the device of
/// the first. Functions implemented as plain loops use it for operands on other devices; docs/architecture.md lists
/// them. For arrays on the host it only calls f.
///   return through_host([&](const Array& x) { return argsort(x, axis); }, a);
template <class F, std::same_as<Array>... Rest>
auto through_host(F&& f, const Array& first, const Rest&... rest) {
  auto out = f(to_host(first), to_host(rest)...);
  if constexpr (std::is_same_v<decltype(out), Array>) {
    return out.to_device(first.device());
  } else {
    for (Array& a : out) a = a.to_device(first.device());
    return out;
  }
}

/// Returns the operands on one device. Operands in the host's memory (constants, positions) are copied to the device of
/// the others. Throws DeviceError naming `operation` if operands are on two devices other than the host.
Arrays on_one_device(std::string_view operation, std::span<const Array* const> operands);
/// Returns true if the operands are not on one device.
inline bool on_several_devices(std::span<const Array* const> operands) {
  for (const Array* a : operands)
    if (a->device() != operands[0]->device()) return true;
  return false;
}

/// The number of arrays copied from the host to a device and back so far; a fast program keeps both low.
struct Transfers {
  int64_t to_device = 0, to_host = 0;
};
Transfers transfers();

}  // namespace chainer
