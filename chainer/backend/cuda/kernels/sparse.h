// SPDX-License-Identifier: MIT
// Products with a sparse matrix in coordinate form (host_kernels/sparse.h).
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// For `multiply_entries`: data (batch, entries), left unused, right (batch, k, n), out (batch, rows, n), and `order`
/// (batch, entries), the entries sorted by row and then by number. For `sample_entries`: left (batch, rows, n), right
/// (batch, k, n), out (batch, entries) of float64; `lanes` threads, 1 or 32, add the n products of an entry.
struct SparseArgs {
  const void *data, *left, *right;
  void* out;
  const int32_t *row, *col;
  const int64_t* order;
  int64_t batch, entries, rows, k, n;
  int lanes;
  template <class F>
  void pointers(F&& f) {
    f(data), f(left), f(right), f(out), f(row), f(col), f(order);
  }
};

}  // namespace chainer::cuda
