// SPDX-License-Identifier: MIT
// Cumulative sums and products along an axis.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Rows of n elements, at distances of `in_step` and `out_step` bytes; row i starts at element i of `in` and `out`. By
/// `scan_rows`, a block of 256 threads computes a row, 256 elements at a time in a fixed tree; by `scan_columns`, a
/// thread computes a row from the first element to the last. Totals are float64 or int64. `before` is the total before
/// the first element of each row, or null.
struct ScanArgs {
  static constexpr int kThreads = 256;
  Space rows;
  Operand in, out;
  const char* before;
  int64_t n, in_step, out_step;
  bool product;
  template <class F>
  void pointers(F&& f) {
    f(in.data), f(out.data), f(before);
  }
};

}  // namespace chainer::cuda
