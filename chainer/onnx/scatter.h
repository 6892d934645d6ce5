// SPDX-License-Identifier: MIT
// Updates of elements at given places.
#pragma once
#include "chainer/array/index.h"
#include "chainer/onnx/call.h"

namespace chainer::onnx {

/// Returns input 0 with the updates of input 2 at `indices`. Several updates of an element are combined by the
/// attribute `reduction`; without one the last counts, and receives the gradient. The greatest or least element
/// receives the gradient of a reduction by max or min. Throws ValueError for an unknown reduction.
Variable scattered(const Call& c, const Indices& indices);

}  // namespace chainer::onnx
