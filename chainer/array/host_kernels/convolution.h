// SPDX-License-Identifier: MIT
// Convolutions, and what may run on their results while those are in the cache.
#pragma once
#include "chainer/array/operations/convolution.h"

namespace chainer {
struct Program;
}

namespace chainer::host_kernels {

/// The operation on the device of `out` (Backend::convolution()). The host's kernels for convolutions are linked only
/// into programs that call this function.
void convolve(const ConvolutionCall& call);

/// A forward convolution on the host, and the elementwise program `then` in the memory order of `out` on each part of
/// `out` while that part is in the cache. The same bits as one after the other.
void convolution_then(const ConvolutionCall& call, const Program& then);

}  // namespace chainer::host_kernels
