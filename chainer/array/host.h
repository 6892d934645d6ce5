// The trip through the host's memory: for loops above the backends, and for operands on two devices.
#pragma once
#include <concepts>
#include <span>
#include <type_traits>

#include "chainer/array/array.h"

namespace chainer {

/// The array itself where it is on the host, else a copy of it there.
inline Array to_host(const Array& a) { return a.device().is_host() ? a : a.to_device(Device()); }

/// Calls f(arrays...) with these arrays in the host's memory and returns its result, an Array or Arrays, on the device
/// of the first. This is how functions run as plain loops on the host whose operands may be on another device;
/// docs/architecture.md lists all of them. On the host it is the call and nothing else.
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

/// The operands on one device. Those in the host's memory (constants, positions) follow the others to theirs; operands
/// on two other devices are a DeviceError that names `operation`.
Arrays on_one_device(std::string_view operation, std::span<const Array* const> operands);
/// Whether that moves anything.
inline bool on_several_devices(std::span<const Array* const> operands) {
  for (const Array* a : operands)
    if (a->device() != operands[0]->device()) return true;
  return false;
}

/// How many arrays went from the host to a device and back so far: what a program for a fast device keeps low.
struct Transfers {
  int64_t to_device = 0, to_host = 0;
};
Transfers transfers();

}  // namespace chainer
