// SPDX-License-Identifier: MIT
// Devices of several processes that compute together.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// Sums of arrays over the devices of a group, one for each process. All processes make the same calls in the same
/// order. Sums run next to other work of the device.
class DeviceGroup {
 public:
  DeviceGroup() = default;
  DeviceGroup(const DeviceGroup&) = delete;
  DeviceGroup& operator=(const DeviceGroup&) = delete;
  virtual ~DeviceGroup() = default;
  /// Begins to replace the elements of an array, which has no gaps and a floating dtype, by their sums. The device does
  /// this after its work so far; the call does not wait for it. The array must not be used until done() returns true.
  virtual void sum(Array& a) = 0;
  /// Returns true if all sums have run. Throws DeviceError if one has failed.
  virtual bool done() = 0;
};

}  // namespace chainer
