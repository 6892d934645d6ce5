// Reductions of some axes of an array.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Result i is the reduction of the elements of `in_reduced` from where element i of `in_kept` is: one array seen along
/// its axes. Sums and products are taken in the widest type, float64 or int64, in an order that depends on the lengths
/// only: each thread takes every 256th element of a result (every 32nd where a warp has it), then threads meet in a
/// fixed tree.
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
