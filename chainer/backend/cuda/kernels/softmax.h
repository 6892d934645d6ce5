// SPDX-License-Identifier: MIT
// Softmax over one axis.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Softmax or log-softmax over n of a contiguous array (outer, n, inner). Sums are computed in float64: each thread of
/// a warp takes every 32nd term, then the threads are combined in a fixed tree.
struct SoftmaxArgs {
  const char* in;
  char* out;
  Type in_type, out_type;
  int in_bytes, out_bytes;
  int64_t outer, n, inner;
  bool log;
  template <class F>
  void pointers(F&& f) {
    f(in), f(out);
  }
};

}  // namespace chainer::cuda
