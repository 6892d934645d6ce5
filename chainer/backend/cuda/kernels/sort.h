// SPDX-License-Identifier: MIT
// Sorted orders of rows.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Sorts `rows` rows of n < 2^31 elements: keys and their positions in the row, equal keys by position, NaN last.
/// `sort_tiles` sorts tiles of `tile` elements (a power of two, 2 to kTile), each by tile / 2 threads, of `in`, into
/// `keys` and `order`. `merge_runs` merges pairs of sorted runs of `run` elements from `from_keys` and `from_order`.
struct SortArgs {
  static constexpr int kTile = 1024;
  const char* in;
  char *keys, *from_keys;
  int *order, *from_order;
  int64_t rows, n, run;
  int tile;
  Type type;
  int bytes;
  template <class F>
  void pointers(F&& f) {
    f(in), f(keys), f(from_keys), f(order), f(from_order);
  }
};

}  // namespace chainer::cuda
