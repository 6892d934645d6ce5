#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation/lstm_gates.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
Variables Lstm::operator()(const Variable& c_prev, const Variable& x) const {
  type_check::check("LSTM", {c_prev.array(), x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"c", "x"});
    check_cell(in, 0, 1, 4);
    type_check::expect(in[0].shape(0) >= in[1].shape(0));
  });
  // Sequences that have ended are at the end of the batch: their cells stay.
  const int64_t n = x.shape()[0];
  const bool some_ended = c_prev.shape()[0] > n;
  const Variable c = some_ended ? c_prev[Slice(0, n)] : c_prev;
  const Variables g = gates(x, 4);
  Variable c_next = tanh(g[0]) * sigmoid(g[1]) + sigmoid(g[2]) * c;
  const Variable h = sigmoid(g[3]) * tanh(c_next);
  if (some_ended) c_next = concat({c_next, c_prev[Slice(n, std::nullopt)]}, 0);
  return {c_next, h};
}

}  // namespace chainer::functions
