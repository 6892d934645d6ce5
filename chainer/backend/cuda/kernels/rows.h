// SPDX-License-Identifier: MIT
// Rows of an array selected by index.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Rows index[i] of a table, and rows i of a list. `rows` is the space of i; in it, `index` and `list_rows` give the
/// index and the first element of a row of the list. `row` is the space of one row. `step` is the distance in bytes
/// between rows of the table.
struct RowsArgs {
  Space rows, row;
  Operand index, list_rows, list, table;
  int64_t step;
  uint32_t parts;  ///< of put_rows and add_rows: a thread processes rows of the table with one remainder modulo this
  template <class F>
  void pointers(F&& f) {
    f(index.data), f(list_rows.data), f(list.data), f(table.data);
  }
};

}  // namespace chainer::cuda
