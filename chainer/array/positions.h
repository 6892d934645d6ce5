// SPDX-License-Identifier: MIT
// Positions of elements, on any device.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// Returns 0, 1 ... n - 1 (int64) on a device, without sending them.
Array positions_below(int64_t n, const Device& device);

/// Returns the positions of the true elements of a mask (dtype bool) in C order, one int64 array per axis, on its
/// device. From a device other than the host only their number is fetched.
Arrays nonzero_positions(const Array& mask);

}  // namespace chainer
