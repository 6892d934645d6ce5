// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/lstm_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

struct TreeLstmFunction : LstmNode {
  explicit TreeLstmFunction(int children) : LstmNode(1, children) {}
  std::string label() const override { return "TreeLSTM"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    for (int64_t i = 0; i < children_; ++i) {
      check_cell(in, i, children_, 3 + children_);
      type_check::expect(in[i].shape(0) == in[children_].shape(0));
    }
  }
  // Unlike in lstm, the gates are consecutive blocks of columns.
  LstmCells layout(const Shape& cells) const override {
    const int64_t units = Shape(cells.begin() + 1, cells.end()).product();
    return {.rows = cells[0], .units = units, .gate_stride = units, .unit_stride = 1, .children = children_};
  }
  Variables composed(const Variables& in) const override {
    const Variables g = split_axis(in.back(), 3 + static_cast<int64_t>(children_), 1);
    Variable c = tanh(g[0]) * sigmoid(g[1]);
    for (std::size_t i = 0; i + 1 < in.size(); ++i) c = c + sigmoid(g[3 + i]) * in[i];
    return {c, sigmoid(g[2]) * tanh(c)};
  }
};

}  // namespace

Variables TreeLstm::operator()(const Variables& inputs) const {
  if (inputs.size() < 2) throw InvalidType("in_types.size >= 2", text(inputs.size(), " < 2"), "tree_lstm");
  return apply(TreeLstmFunction(static_cast<int>(inputs.size()) - 1), inputs);
}

}  // namespace chainer::functions
