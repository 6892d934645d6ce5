// SPDX-License-Identifier: MIT
// Rows of an array selected by index.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Rows index[i] of a table, and rows i of a list. `rows` is the space of i; in it, `index` and `list_rows` give the
/// index and the first element of a row of the list. `row` is the space of one row. `step` is the distance in bytes
/// between rows of the table. Blocks have `blockDim.x` threads for the elements of a row, and `blockDim.y` rows.
struct RowsArgs {
  Space rows, row;
  Operand index, list_rows, list, table;
  int64_t step;
  /// For put_rows and add_rows, written by find_rows: for each row of the table, the last of the i with this index (for
  /// add_rows: any of them, which begins a list of all), or -1; for add_rows, their number - 1.
  int* heads;
  int* counts;
  int* next;  ///< for each i, the following i of its list, or -1
  template <class F>
  void pointers(F&& f) {
    f(index.data), f(list_rows.data), f(list.data), f(table.data), f(heads), f(counts), f(next);
  }
};

}  // namespace chainer::cuda
