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

}  // namespace chainer::cpu::onednn
