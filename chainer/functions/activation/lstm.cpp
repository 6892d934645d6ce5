#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

// The gates of x (N, k * units, ...), which are interleaved: element j of unit u stands at k * u + j.
Variables gates(const Variable& x, int64_t k) {
  Shape s = x.shape();
  s[1] /= k;
  s.insert(2, k);
  return separate(reshape(x, s), 2);
}
void check_cell(const type_check::TypeInfos& in, int64_t c, int64_t x, int64_t gate_count) {
  using type_check::expect;
  expect(in[c].dtype().kind() == 'f', in[x].dtype() == in[c].dtype(), in[c].ndim() >= 2, in[c].ndim() == in[x].ndim());
  expect(in[x].shape(1) == in[c].shape(1) * gate_count, in[x].shape().slice(2) == in[c].shape().slice(2));
}

}  // namespace

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

Variables Slstm::operator()(const Variable& c_prev1, const Variable& c_prev2, const Variable& x1,
                            const Variable& x2) const {
  type_check::check("SLSTM", {c_prev1.array(), c_prev2.array(), x1.array(), x2.array()},
                    [](const type_check::TypeInfos& in) {
                      in.names({"c_prev1", "c_prev2", "x1", "x2"});
                      check_cell(in, 0, 2, 4);
                      check_cell(in, 1, 3, 4);
                      type_check::expect(in[0].shape() == in[1].shape(), in[0].shape(0) == in[2].shape(0));
                      type_check::expect(in[2].shape() == in[3].shape());
                    });
  const Variables a = gates(x1, 4), b = gates(x2, 4);
  const Variable c =
      tanh(a[0]) * sigmoid(a[1]) + tanh(b[0]) * sigmoid(b[1]) + sigmoid(a[2]) * c_prev1 + sigmoid(b[2]) * c_prev2;
  return {c, sigmoid(a[3] + b[3]) * tanh(c)};
}

Variables TreeLstm::operator()(const Variables& inputs) const {
  if (inputs.size() < 2) throw InvalidType("in_types.size >= 2", text(inputs.size(), " < 2"), "tree_lstm");
  const std::size_t children = inputs.size() - 1;
  Arrays arrays;
  for (const Variable& v : inputs) arrays.push_back(v.array());
  type_check::check("TreeLSTM", arrays, [&](const type_check::TypeInfos& in) {
    for (std::size_t i = 0; i < children; ++i) {
      check_cell(in, static_cast<int64_t>(i), static_cast<int64_t>(children), 3 + static_cast<int64_t>(children));
      type_check::expect(in[static_cast<int64_t>(i)].shape(0) == in[static_cast<int64_t>(children)].shape(0));
    }
  });
  // Here, unlike in lstm, the gates stand one behind the other.
  const Variables g = split_axis(inputs.back(), 3 + static_cast<int64_t>(children), 1);
  Variable c = tanh(g[0]) * sigmoid(g[1]);
  for (std::size_t i = 0; i < children; ++i) c = c + sigmoid(g[3 + i]) * inputs[i];
  return {c, sigmoid(g[2]) * tanh(c)};
}

}  // namespace chainer::functions
