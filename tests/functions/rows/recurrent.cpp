// SPDX-License-Identifier: MIT
// Fused recurrent cells: larger than one block of their kernels, without items, with more axes; sequences of all
// lengths.
#include "table.h"

namespace table {
namespace {

Variables flat(const F::NStepLstmResult& r) {
  Variables out = {r.hy, r.cy};
  for (const Variable& y : r.ys) out.push_back(y);
  return out;
}
Variables flat(const F::NStepRnnResult& r) {
  Variables out = {r.hy};
  for (const Variable& y : r.ys) out.push_back(y);
  return out;
}

// A case of an n_step function: its inputs are states, items of each time, then weights and biases of each layer.
struct Shapes {
  int64_t layers, directions, gates, batch, in, units;
  std::vector<int64_t> sizes;
};
template <class F>
void add(std::vector<OpCase>& t, const std::string& name, bool cell, const Shapes& s, const std::string& options, F f) {
  const int64_t rows = s.layers * s.directions, states = cell ? 2 : 1, times = static_cast<int64_t>(s.sizes.size());
  Arrays in;
  for (int64_t i = 0; i < states; ++i) in.push_back(normal({rows, s.batch, s.units}));
  for (int64_t n : s.sizes) in.push_back(normal({n, s.in}));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < 2 * s.gates; ++k)
      in.push_back(normal({s.units, k >= s.gates ? s.units : r < s.directions ? s.in : s.units * s.directions}) * 0.5);
  for (int64_t k = 0; k < rows * 2 * s.gates; ++k) in.push_back(normal({s.units}) * 0.3);
  const int64_t w = states + times, b = w + rows * 2 * s.gates, count = 2 * s.gates;
  // The flattened results of chainer.functions: hy, cy and the elements of ys.
  const auto lists = [&](int64_t from) {
    return text("[list(x[", from, " + ", count, " * i:", from, " + ", count, " * i + ", count, "]) for i in range(",
                rows, ")]");
  };
  const std::string call = text("F.", name, "(", s.layers, ", 0.0, ", cell ? "x[0], x[1], " : "x[0], ", lists(w), ", ",
                                lists(b), ", x[", states, ":", w, "]", options, ")");
  const std::string python = "(lambda r: list(r[:-1]) + list(r[-1]))(" + call + ")";
  t.push_back(row(
                  name, python,
                  [=](const Variables& x) {
                    const auto part = [&](int64_t begin, int64_t end) {
                      return Variables(x.begin() + begin, x.begin() + end);
                    };
                    std::vector<Variables> ws, bs;
                    for (int64_t r = 0; r < rows; ++r) {
                      ws.push_back(part(w + r * count, w + (r + 1) * count));
                      bs.push_back(part(b + r * count, b + (r + 1) * count));
                    }
                    return f(s.layers, x, ws, bs, part(states, w));
                  },
                  in)
                  .no_repeats());
}

}  // namespace

void recurrent(std::vector<OpCase>& t) {
  const auto cells = [&](const std::string& name, auto f, const Arrays& in) {
    t.push_back(row(name, "F." + name + "(*x)", f, in));
  };
  const auto lstm = [](const Variables& x) { return F::lstm(x[0], x[1]); };
  cells("lstm", lstm, {normal({2, 131}), normal({1, 524})});
  cells("lstm", lstm, {normal({0, 3}), normal({0, 12})});
  cells("lstm", lstm, {normal({2, 3}), normal({0, 12})});
  cells("lstm", lstm, {normal({2, 3, 2, 1}), normal({1, 12, 2, 1})});
  const auto slstm = [](const Variables& x) { return F::slstm(x[0], x[1], x[2], x[3]); };
  cells("slstm", slstm, {normal({2, 2, 3}), normal({2, 2, 3}), normal({2, 8, 3}), normal({2, 8, 3})});
  const auto tree_lstm = [](const Variables& x) { return F::tree_lstm(x); };
  // The release accepts two axes only.
  t.push_back(row("tree_lstm", "", tree_lstm, {normal({2, 3, 2}), normal({2, 3, 2}), normal({2, 15, 2})}));
  cells("tree_lstm", tree_lstm, {normal({1, 130}), normal({1, 520})});
  const auto prelu = [](const Variables& x) { return F::prelu(x[0], x[1]); };
  cells("prelu", prelu, {away({3, 4}), normal({})});
  cells("prelu", prelu, {away({0, 4}), normal({4})});
  cells("prelu", prelu, {away({2, 3, 2, 2}), normal({3, 2})});
  const auto swish = [](const Variables& x) { return F::swish(x[0], x[1]); };
  cells("swish", swish, {normal({0, 4}), normal({4})});
  cells("swish", swish, {normal({2, 3, 2, 2}), normal({3, 2})});

  // Different and equal lengths, a single unit, sequences without items, and no sequences.
  using Vs = const Variables&;
  using Lists = const std::vector<Variables>&;
  const Shapes shapes[] = {{1, 1, 0, 3, 2, 2, {3, 2, 1}},
                           {2, 1, 0, 2, 3, 1, {2, 2}},
                           {1, 1, 0, 3, 1, 2, {2, 1, 0}},
                           {2, 1, 0, 1, 2, 2, {1}}};
  for (Shapes s : shapes) {
    const auto with = [&](int64_t gates, int64_t directions) {
      Shapes out = s;
      out.gates = gates, out.directions = directions;
      return out;
    };
    add(t, "n_step_lstm", true, with(4, 1), "",
        [](int64_t n, Vs x, Lists ws, Lists bs, Vs xs) { return flat(F::n_step_lstm(n, 0, x[0], x[1], ws, bs, xs)); });
    add(t, "n_step_bilstm", true, with(4, 2), "", [](int64_t n, Vs x, Lists ws, Lists bs, Vs xs) {
      return flat(F::n_step_bilstm(n, 0, x[0], x[1], ws, bs, xs));
    });
    add(t, "n_step_gru", false, with(3, 1), "",
        [](int64_t n, Vs x, Lists ws, Lists bs, Vs xs) { return flat(F::n_step_gru(n, 0, x[0], ws, bs, xs)); });
    add(t, "n_step_bigru", false, with(3, 2), "",
        [](int64_t n, Vs x, Lists ws, Lists bs, Vs xs) { return flat(F::n_step_bigru(n, 0, x[0], ws, bs, xs)); });
    for (const auto activation : {F::RnnActivation::tanh, F::RnnActivation::relu}) {
      const std::string option = activation == F::RnnActivation::tanh ? "" : ", activation='relu'";
      add(t, "n_step_rnn", false, with(1, 1), option, [=](int64_t n, Vs x, Lists ws, Lists bs, Vs xs) {
        return flat(F::n_step_rnn(n, 0, x[0], ws, bs, xs, activation));
      });
      add(t, "n_step_birnn", false, with(1, 2), option, [=](int64_t n, Vs x, Lists ws, Lists bs, Vs xs) {
        return flat(F::n_step_birnn(n, 0, x[0], ws, bs, xs, activation));
      });
    }
  }
}

}  // namespace table
