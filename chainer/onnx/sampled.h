// SPDX-License-Identifier: MIT
// Interpolation between elements of images at computed positions.
#pragma once
#include "chainer/onnx/call.h"

namespace chainer::onnx {

enum class Interpolation { nearest, linear, cubic };
/// The elements outside of an image: zeros, those at the border, or mirror images.
enum class Outside { zeros, border, reflection };

/// Mirrors positions outside of [low, high] into it.
Variable reflected(const Variable& at, double low, double high);

/// Returns the elements of x (N, C, axes...) at positions, given in elements for each axis, (N, P): (N, C, P). The
/// mirrors of `reflection` are the centres of the first and last elements if `at_centres`, or their outer ends.
Variable sampled(const Variable& x, const Variables& positions, Interpolation how, Outside outside, bool at_centres);

}  // namespace chainer::onnx
