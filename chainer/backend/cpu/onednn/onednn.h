// SPDX-License-Identifier: MIT
// oneDNN's part in the CPU backend. Builds without oneDNN's header contain a stub.
#pragma once
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/loops/program.h"

namespace chainer::cpu::onednn {

/// Computes a float32 convolution with one to three spatial axes and non-empty arrays; operands may have any memory
/// order. `then`, if given, is called for each part of `out` when that part is complete. Returns false, without writing
/// to `out`, if oneDNN is missing or has no such primitive.
bool convolution(const ConvolutionCall& call, const Stretch& then = {});

}  // namespace chainer::cpu::onednn
