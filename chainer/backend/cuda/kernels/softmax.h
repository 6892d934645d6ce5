// SPDX-License-Identifier: MIT
// Softmax over one axis.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Softmax or log-softmax over n of a contiguous array (outer, n, inner). A block of 256 threads processes `wide` rows
/// (a power of two), with 256/wide threads for each. Adjacent threads process adjacent rows if inner > 1, else adjacent
/// elements. Sums are computed in float64: each thread takes every 256/wide-th term, then the threads are combined in a
/// fixed tree.
struct SoftmaxArgs {
  static constexpr int kThreads = 256;
  const char* in;
  char* out;
  Type in_type, out_type;
  int in_bytes, out_bytes;
  int64_t outer, n, inner;
  int wide;
  bool log;
  template <class F>
  void pointers(F&& f) {
    f(in), f(out);
  }
};

}  // namespace chainer::cuda
