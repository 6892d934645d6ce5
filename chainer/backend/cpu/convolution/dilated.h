// SPDX-License-Identifier: MIT
// Dilated convolutions as convolutions without dilation.
#pragma once
#include "chainer/array/operations/convolution.h"

namespace chainer::cpu {

/// Computes a dilated float32 convolution with stride one by Winograd's algorithm, if this suits without the dilation:
/// the rows and columns whose numbers have the same remainder divided by the dilation are an image of their own, which
/// the filters see without gaps. Returns false, without writing to `out`, if another algorithm is better; this depends
/// only on lengths.
bool dilated_convolution(const ConvolutionCall& call);

}  // namespace chainer::cpu
