// SPDX-License-Identifier: MIT
// The memory layout of the gates of recurrent cells.
#pragma once
#include <cstdint>

namespace chainer {

/// Cells of the LSTM family. Each of `sources` arrays of gates has `3 + children` gates per unit: gate g of unit u in
/// row r is at r * (3 + children) * units + g * gate_stride + u * unit_stride. With the gates at the positions a, i, o
/// and f, f + 1, ..., over all sources s and children k
///   c = sum_s (tanh(a_s) sigmoid(i_s) + sum_k sigmoid(f_sk) c_prev_sk),   h = sigmoid(sum_s o_s) tanh(c)
struct LstmCells {
  int64_t rows = 0, units = 0;
  int64_t gate_stride = 0, unit_stride = 0;
  int a = 0, i = 1, o = 2, f = 3;
  int sources = 1, children = 1;
};

}  // namespace chainer
