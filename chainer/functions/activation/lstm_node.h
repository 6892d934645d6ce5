// SPDX-License-Identifier: MIT
// Base of the cells of the LSTM family.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/type_check.h"
#include "chainer/array/operations/recurrent_cells.h"

namespace chainer::functions {

/// Computes {c, h} from cells, one variable for each source and child, and gates, one variable for each source. Forward
/// and the first gradient are one kernel each; a gradient with a graph is computed by composed().
class LstmNode : public FunctionNode {
 public:
  LstmNode(int sources, int children) : sources_(sources), children_(children) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 protected:
  /// Returns the layout of the gates for cells of this shape.
  virtual LstmCells layout(const Shape& cells) const = 0;
  /// Computes {c, h} by functions on variables.
  virtual Variables composed(const Variables& in) const = 0;
  int sources_, children_;

 private:
  Array c_;
};

/// Returns the layout of interleaved gates x (N, 4 * units, ...): gate g of unit u is at 4 * u + g of axis 1, in the
/// order a, i, f, o.
LstmCells interleaved_gates(const Shape& cells);
/// Splits interleaved gates x (N, k * units, ...) into k variables (N, units, ...).
Variables separate_gates(const Variable& x, int64_t k);
/// Checks dtypes and shapes of cells in[c] and gates in[x], which have `gate_count` times as many units.
void check_cell(const type_check::TypeInfos& in, int64_t c, int64_t x, int64_t gate_count);

}  // namespace chainer::functions
