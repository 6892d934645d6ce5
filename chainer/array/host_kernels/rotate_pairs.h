// SPDX-License-Identifier: MIT
// Rotations of pairs of elements, for functions whose arrays are on the host.
#pragma once
#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// Rotates pairs (a, b) of elements of the last axis: a cosine - b sine and b cosine + a sine; with `backwards` by the
/// opposite angle. The pairs are elements i and i + n, or 2 i and 2 i + 1 if they are interleaved, where n is the last
/// length of the tables; the elements after the first 2 n are copied. The other axes of the tables broadcast to those
/// of x. All arrays have one dtype, float32 or float64, are on the host and contiguous.
Array rotate_pairs(const Array& x, const Array& cosine, const Array& sine, bool interleaved, bool backwards);

}  // namespace chainer::host_kernels
