// What oneDNN computes for the host's backend. In a build without its header nothing of it is there.
#pragma once
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/program.h"

namespace chainer::cpu::onednn {

/// A convolution of float32 with one to three spatial axes and at least one element in each of its arrays; operands
/// may have any order. `then`, if there is one, computes on each part of `out` when that part is there. False where
/// oneDNN is missing or has no such primitive: `out` is untouched then.
bool convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
                 Array& out, bool accumulate, const Stretch& then = {});

/// Whether convolution() takes Winograd's algorithm, which multiplies a quarter as often and rounds a little more (root
/// mean square 1e-6 instead of 2e-7 of the results, see docs/performance.md): filters (K, C, 3, 3) without strides on
/// many channels and images that are large enough. The environment variable CHAINER_CONVOLUTION=direct forbids it.
bool suits_winograd(const ConvolutionPlan& plan, const int64_t* filters, const int64_t* results, int ndim);

}  // namespace chainer::cpu::onednn
