// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/lstm_node.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

struct SlstmFunction : LstmNode {
  SlstmFunction() : LstmNode(2, 1) {}
  std::string label() const override { return "SLSTM"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"c_prev1", "c_prev2", "x1", "x2"});
    check_cell(in, 0, 2, 4);
    check_cell(in, 1, 3, 4);
    type_check::expect(in[0].shape() == in[1].shape(), in[0].shape(0) == in[2].shape(0));
    type_check::expect(in[2].shape() == in[3].shape());
  }
  LstmCells layout(const Shape& cells) const override {
    LstmCells l = interleaved_gates(cells);
    l.sources = 2;
    return l;
  }
  Variables composed(const Variables& in) const override {
    const Variables a = separate_gates(in[2], 4), b = separate_gates(in[3], 4);
    const Variable c =
        tanh(a[0]) * sigmoid(a[1]) + tanh(b[0]) * sigmoid(b[1]) + sigmoid(a[2]) * in[0] + sigmoid(b[2]) * in[1];
    return {c, sigmoid(a[3] + b[3]) * tanh(c)};
  }
};

}  // namespace

Variables Slstm::operator()(const Variable& c_prev1, const Variable& c_prev2, const Variable& x1,
                            const Variable& x2) const {
  return apply(SlstmFunction(), {c_prev1, c_prev2, x1, x2});
}

}  // namespace chainer::functions
