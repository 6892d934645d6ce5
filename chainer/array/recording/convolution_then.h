// A convolution and what follows on its results, as one step.
#pragma once
#include "chainer/array/operations/convolution.h"

namespace chainer {
struct Program;
}

namespace chainer::recording {

/// A forward convolution (Backend::convolution) on the host, and the program `then`, elementwise and in the memory
/// order of `out`, on each part of `out` while that part is in the cache. The bits are those of one after the other.
/// Defined by the host's backend.
void convolution_then(const ConvolutionPlan& plan, const Array& x, const Array& W, const Array& bias, Array& out,
                      const Program& then);

}  // namespace chainer::recording
