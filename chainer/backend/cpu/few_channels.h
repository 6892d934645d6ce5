// Convolutions whose results, or whose images' gradients, have few channels.
#pragma once
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/program.h"

namespace chainer::cpu {

/// A convolution of float32 with two spatial axes that gives few channels (forward, at most 6, and the gradient by
/// the image, at most 8; stride one), by kernels whose vectors hold several pixels; a library's would hold one, and be
/// filled by a half or less. Arguments are those of onednn::convolution(). False where another way is better, by
/// lengths and the order of `out` only: `out` is untouched then. Any number of threads gives the same bits.
bool few_channels_convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                              const Array& bias, Array& out, bool accumulate, const Stretch& then);

}  // namespace chainer::cpu
