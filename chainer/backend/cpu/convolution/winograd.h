// SPDX-License-Identifier: MIT
// Convolutions with filters of 3x3, or of 4x4 with stride two, by Winograd's algorithm.
#pragma once
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/loops/program.h"

namespace chainer::cpu {

/// The kernels compute in vectors of this many channels, or of a divisor.
inline constexpr int64_t kWinogradLanes = 16;

/// Returns true if winograd_convolution() is expected to be faster: filters (K, C, 3, 3) with stride one or (K, C, 4,
/// 4) with stride two, many channels and sufficiently large images. It needs a quarter of the multiplications (two
/// fifths for 4x4), with slightly larger rounding errors (see docs/performance.md). Depends only on lengths, so that
/// equal calls give equal bits. The environment variable CHAINER_CONVOLUTION=direct disables it.
bool suits_winograd(const ConvolutionPlan& plan, const Shape& filters, const Shape& results);

/// Computes a convolution that suits, of float32 or bfloat16 operands in any memory order; in float32, whose blocks of
/// bfloat16 are converted as they are read and written. `out` is channels-last, or filters in C order. `then` is
/// applied to the results of a forward convolution.
void winograd_convolution(const ConvolutionCall& call, const Stretch& then = {});

/// As winograd_convolution(), which calls it for numbers of channels that are not multiples of kWinogradLanes.
void winograd_padded(const ConvolutionCall& call, const Stretch& then);

/// Computes the gradient with respect to the filters, from images and the gradient with respect to the results.
void winograd_filter_gradient(const ConvolutionPlan& plan, const Array& x, const Array& gy, Array& out,
                              bool accumulate);

}  // namespace chainer::cpu
