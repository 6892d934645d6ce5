// SPDX-License-Identifier: MIT
// Reductions over some axes of an array.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Result i is the reduction of the elements of `in_reduced`, starting at element i of `in_kept`; both are views of one
/// array along different axes. Sums and products are computed in float64 or int64, in an order that depends on the
/// lengths only: each thread takes every 256th element of a result (every 32nd if a warp computes it), then the threads
/// are combined in a fixed tree.
struct ReduceArgs {
  Space kept, reduced;
  Operand in_kept, in_reduced, out;
  int op;  ///< chainer::Reduce: sum, prod, max, min; chainer::ArgReduce: argmax, argmin
  template <class F>
  void pointers(F&& f) {
    f(in_kept.data), f(in_reduced.data), f(out.data);
  }
};

}  // namespace chainer::cuda
