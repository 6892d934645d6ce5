// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
// Sequences of `steps` items of `width` elements, and a layer of `width` units in one or two directions.
struct Lengths {
  int64_t steps, batch, width;
};
Lengths lengths(const Size& s) { return s.n == 64 ? Lengths{4, 4, 4} : Lengths{32, 64, 128}; }

/// xs, then all matrices, then all biases.
std::function<Inputs(const Size&)> layer(int64_t matrices, int64_t directions) {
  return [=](const Size& s) {
    const Lengths l = lengths(s);
    const double k = 1 / std::sqrt(static_cast<double>(l.width));
    Inputs in = several(l.steps, normal({l.batch, l.width}));
    for (const Shape& shape : {Shape{l.width, l.width}, Shape{l.width}})
      for (const Input& i : several(matrices * directions, uniform(-k, k, shape))) in.push_back(i);
    return in;
  };
}
/// Applies the function to inputs in this order; returns outputs and last states.
template <class Function>
auto sequences(Function f, std::size_t matrices, std::size_t directions) {
  return [=](const Variables& x) {
    const std::size_t count = matrices * directions, steps = x.size() - 2 * count;
    const auto from = [&](std::size_t i, std::size_t n) {
      Variables v;
      for (std::size_t k = i; k < i + n; ++k) v.push_back(x[k]);
      return v;
    };
    std::vector<Variables> ws, bs;
    for (std::size_t d = 0; d < directions; ++d) {
      ws.push_back(from(steps + d * matrices, matrices));
      bs.push_back(from(steps + count + d * matrices, matrices));
    }
    const auto r = f(ws, bs, from(0, steps));
    Variables out = r.ys;
    out.push_back(r.hy);
    if constexpr (requires { r.cy; }) out.push_back(r.cy);
    return out;
  };
}
}  // namespace

void recurrent(Table& t) {
  using Ws = std::vector<Variables>;
  const auto row = [&](const std::string& name, auto f, const std::string& torch, std::size_t matrices, std::size_t d) {
    t.add(name, text("n_step('", torch, "', x, ", matrices, ", ", d, ")"), sequences(f, matrices, d),
          layer(static_cast<int64_t>(matrices), static_cast<int64_t>(d)))
        .up_to(1);
  };
  const auto lstm = [](auto f) {
    return [f](const Ws& ws, const Ws& bs, const Variables& xs) { return f(1, 0, {}, {}, ws, bs, xs); };
  };
  const auto other = [](auto f) {
    return [f](const Ws& ws, const Ws& bs, const Variables& xs) { return f(1, 0, {}, ws, bs, xs); };
  };
  row("n_step_lstm", lstm(F::n_step_lstm), "lstm", 8, 1);
  row("n_step_bilstm", lstm(F::n_step_bilstm), "lstm", 8, 2);
  row("n_step_gru", other(F::n_step_gru), "gru", 6, 1);
  row("n_step_bigru", other(F::n_step_bigru), "gru", 6, 2);
  row("n_step_rnn", other(F::n_step_rnn), "rnn_tanh", 2, 1);
  row("n_step_birnn", other(F::n_step_birnn), "rnn_tanh", 2, 2);
}

}  // namespace bench
