// SPDX-License-Identifier: MIT
// Convolutions with few channels in the result, or gradients with respect to images with few channels.
#pragma once
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/loops/program.h"

namespace chainer::cpu {

/// Computes a float32 convolution with two spatial axes and stride one whose result has few channels: forward with at
/// most 6, or the gradient with respect to the image with at most 8. Its vectors hold several pixels; a library's
/// vectors would hold one pixel and be at most half full. Returns false,
/// without writing to `out`, if another algorithm is better; this depends only on the lengths and the order of `out`.
/// Results do not depend on the number of threads.
bool few_channels_convolution(const ConvolutionCall& call, const Stretch& then);

}  // namespace chainer::cpu
