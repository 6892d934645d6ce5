// SPDX-License-Identifier: MIT
// Products with a sparse matrix in coordinate form (host_kernels/sparse.h).
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// For `multiply_entries`: data (batch, entries), left unused, right (batch, k, n), out (batch, rows, n), and `order`
/// (batch, entries), the entries sorted by row and then by number. The entries of a row are cut at multiples of kPart
/// in that order, but for the first multiple in the row, so that rows of up to kPart entries are whole; a thread adds a
/// part for one column. The first part of a row goes to `out`, others to `parts` (batch, entries / kPart, n), by the
/// multiple of kPart at which they begin. `add_parts` adds them to `out`, 32 threads for a row and column.
/// For `sample_entries`: left (batch, rows, n), right (batch, k, n), out (batch, entries) of float64; `lanes` threads,
/// 1 or 32, add the n products of an entry.
struct SparseArgs {
  static constexpr int64_t kPart = 1024;
  const void *data, *left, *right;
  void* out;
  double* parts;
  const int32_t *row, *col;
  const int64_t* order;
  int64_t batch, entries, rows, k, n;
  int lanes;
  template <class F>
  void pointers(F&& f) {
    f(data), f(left), f(right), f(out), f(parts), f(row), f(col), f(order);
  }
};

}  // namespace chainer::cuda
