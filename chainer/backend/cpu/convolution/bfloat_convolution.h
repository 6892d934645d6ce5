// SPDX-License-Identifier: MIT
// Convolutions of bfloat16 images by the processor's instructions for them.
#pragma once
#include "chainer/array/operations/convolution.h"

namespace chainer::cpu {

/// Returns true if convolution by bfloat_kernels() is possible and expected to be faster than conversion to float32:
/// two spatial axes, one group, many channels. Depends only on lengths and the processor.
bool suits_bfloat(const ConvolutionCall& call);

/// Computes a bfloat16 convolution that suits, with operands in any memory order. `out` is channels-last, or filters in
/// C order. Sums are in float32, in an order that depends on lengths only.
void bfloat_convolution(const ConvolutionCall& call);

/// Computes the gradient with respect to the filters.
void bfloat_filter_gradient(const ConvolutionCall& call);

}  // namespace chainer::cpu
