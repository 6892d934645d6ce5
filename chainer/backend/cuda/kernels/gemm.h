// SPDX-License-Identifier: MIT
// Matrix products that no library supports.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// out = alpha a b + beta out, for stacks of matrices (m, k) and (k, n); strides are in bytes. 16-bit types are
/// accumulated in float32.
struct GemmArgs {
  struct Matrices {
    char* data;
    int64_t stack, row, column;
  };
  Matrices a, b, out;
  Type type;
  int64_t m, k, n;
  double alpha, beta;
  template <class F>
  void pointers(F&& f) {
    f(a.data), f(b.data), f(out.data);
  }
};
/// A block of kTile x kTile threads computes as many results.
constexpr int kGemmTile = 16;

}  // namespace chainer::cuda
