// What the cells of the LSTM family share.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/type_check.h"
#include "chainer/array/operations/recurrent_cells.h"

namespace chainer::functions {

/// {c, h} of the inputs' cells, a variable for each source and child, and gates, a variable for each source. Forward
/// and the first gradient are one kernel each; a gradient with a graph goes through composed().
class LstmNode : public FunctionNode {
 public:
  LstmNode(int sources, int children) : sources_(sources), children_(children) {}
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 protected:
  /// How the gates lie in arrays of this shape.
  virtual LstmCells layout(const Shape& cells) const = 0;
  /// The same in functions on variables.
  virtual Variables composed(const Variables& in) const = 0;
  int sources_, children_;

 private:
  Array c_;
};

/// Gates x (N, 4 * units, ...) that are interleaved: gate g of unit u stands at 4 * u + g of axis 1, in the order
/// a, i, f, o.
LstmCells interleaved_gates(const Shape& cells);
/// The gates of such an x (N, k * units, ...).
Variables separate_gates(const Variable& x, int64_t k);
/// Checks cells in[c] and gates in[x] of `gate_count` times as many units.
void check_cell(const type_check::TypeInfos& in, int64_t c, int64_t x, int64_t gate_count);

}  // namespace chainer::functions
