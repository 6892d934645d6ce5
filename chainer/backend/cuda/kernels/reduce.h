// SPDX-License-Identifier: MIT
// Reductions over some axes of an array.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Result i is the reduction of the elements of `in_reduced`, starting at element i of `in_kept`; both are views of one
/// array along different axes. A block of 256 threads processes `wide` adjacent results (a power of two), and one of
/// `parts` parts of the elements of each. Sums and products are computed in float64 or int64. Their order depends on
/// the arguments only: each thread has four totals and takes every 256/wide-th element, then the totals and the threads
/// are combined in a fixed tree.
struct ReduceArgs {
  static constexpr int kThreads = 256;
  Space kept, reduced;
  Operand in_kept, in_reduced, out;
  int op;  ///< chainer::Reduce: sum, prod, max, min; chainer::ArgReduce: argmax, argmin
  int wide;
  bool columns;  ///< true if adjacent threads process adjacent results, else adjacent elements of a result
  uint32_t parts;
  char* totals;             ///< (parts, results): receives the results of parts, if there are several
  int64_t* positions;       ///< of arg_reduce: likewise, their positions
  const char* from_totals;  ///< if given, the elements are these totals (reduced.size parts) instead of in_reduced
  const int64_t* from_positions;
  template <class F>
  void pointers(F&& f) {
    f(in_kept.data), f(in_reduced.data), f(out.data), f(totals), f(positions), f(from_totals), f(from_positions);
  }
};

}  // namespace chainer::cuda
