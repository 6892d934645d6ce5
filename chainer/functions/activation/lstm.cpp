// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/lstm_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

struct LstmFunction : LstmNode {
  LstmFunction() : LstmNode(1, 1) {}
  std::string label() const override { return "LSTM"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"c", "x"});
    check_cell(in, 0, 1, 4);
    type_check::expect(in[0].shape(0) >= in[1].shape(0));
  }
  LstmCells layout(const Shape& cells) const override { return interleaved_gates(cells); }
  // x may have fewer rows than c_prev: sequences that have ended are at the end of the batch and keep their cells.
  Variables composed(const Variables& in) const override {
    const Variable &c_prev = in[0], &x = in[1];
    const int64_t n = x.shape()[0];
    const bool some_ended = c_prev.shape()[0] > n;
    const Variable c = some_ended ? c_prev[Slice(0, n)] : c_prev;
    const Variables g = separate_gates(x, 4);
    Variable c_next = tanh(g[0]) * sigmoid(g[1]) + sigmoid(g[2]) * c;
    const Variable h = sigmoid(g[3]) * tanh(c_next);
    if (some_ended) c_next = concat({c_next, c_prev[Slice(n, std::nullopt)]}, 0);
    return {c_next, h};
  }
};

}  // namespace

Variables Lstm::operator()(const Variable& c_prev, const Variable& x) const {
  return apply(LstmFunction(), {c_prev, x});
}

}  // namespace chainer::functions
