// SPDX-License-Identifier: MIT
// The counter-based random generator.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Element i of a contiguous output is computed from word i of the stream that begins at block `counter`. bernoulli:
/// `b` if the word is below `limit`, else 0. uniform: a + scale * word, at most `last`. Computed in float32 or float64.
struct RandomArgs {
  char* out;
  Type type;
  int64_t size;
  uint64_t seed, counter;
  bool bernoulli;
  uint64_t limit;
  double a, b, scale, last;
  template <class F>
  void pointers(F&& f) {
    f(out);
  }
};

}  // namespace chainer::cuda
