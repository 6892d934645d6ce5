// SPDX-License-Identifier: MIT
// The counter-based random generator.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Element i of a contiguous output is computed from word i of the stream that begins at block `counter`. bernoulli:
/// `b` if the word is below `limit`, else 0. uniform: a + scale * word, at most `last`. normal: a + b times
/// Box-Muller's transform of pairs of words, computed in float64. Converted to float32 or float64, and to the dtype.
struct RandomArgs {
  enum class Kind { uniform, normal, bernoulli } kind;
  char* out;
  Type type;
  int64_t size;
  uint64_t seed, counter;
  uint64_t limit;
  double a, b, scale, last;
  template <class F>
  void pointers(F&& f) {
    f(out);
  }
};

}  // namespace chainer::cuda
