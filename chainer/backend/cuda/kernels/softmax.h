// Softmax over one axis.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Of a contiguous array (outer, n, inner), over n; or its logarithm. Sums are taken in float64, each thread of a warp
/// every 32nd term, then in a fixed tree.
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
