// Rows of an array by index.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Rows number index[i] of a table, and the rows i of a list. `rows` is the space of i, in which the index and the list
/// are given by the first of their rows' elements; `row` the space of a row. `step` is the bytes from a row of the
/// table to the next.
struct RowsArgs {
  Space rows, row;
  Operand index, list_rows, list, table;
  int64_t step;
  uint32_t parts;  ///< of put_rows and add_rows: a thread has the rows of the table whose number is its own modulo this
  template <class F>
  void pointers(F&& f) {
    f(index.data), f(list_rows.data), f(list.data), f(table.data);
  }
};

}  // namespace chainer::cuda
