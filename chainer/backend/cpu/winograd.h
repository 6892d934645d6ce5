// Convolutions with filters of 3x3, or of 4x4 with stride two, by Winograd's algorithm.
#pragma once
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/program.h"

namespace chainer::cpu {

/// Whether winograd_convolution() pays, which multiplies a quarter as often (two fifths, of filters of 4x4) and rounds
/// a little more (root mean square 8e-7 instead of 2e-7 of the results, see docs/performance.md): filters (K, C, 3, 3)
/// without strides, or (K, C, 4, 4) with stride two, on many channels and images that are large enough. A choice by
/// lengths, so that each call has the same bits. The environment variable CHAINER_CONVOLUTION=direct forbids it.
bool suits_winograd(const ConvolutionPlan& plan, const Shape& filters, const Shape& results);

/// A convolution of float32 that suits, of any order of operands; `out` has its channels last, or is of filters and in
/// C order. `then` runs on all results of a forward convolution.
void winograd_convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                          const Array& bias, Array& out, bool accumulate, const Stretch& then = {});

/// Its gradient by filters, from images and results' gradients.
void winograd_filter_gradient(const ConvolutionPlan& plan, const Array& x, const Array& gy, Array& out,
                              bool accumulate);

}  // namespace chainer::cpu
