// SPDX-License-Identifier: MIT
// Recurrent layers over whole sequences.
#include <algorithm>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/rnn.h"
#include "chainer/onnx/quantized.h"
#include "chainer/onnx/recurrent.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Variable clipped(const Call& c, const Variable& x) {
  if (!c.contains("clip")) return x;
  const double limit = c.real("clip");
  return F::clip(x, -limit, limit);
}

Variable column(const Variable& v, int64_t k, int64_t units) {
  return F::get_item(v, {Slice(), Slice(k * units, (k + 1) * units)});
}

// Returns the time of step i.
int64_t time(const Direction& d, int64_t i, int64_t steps) { return d.reverse ? steps - 1 - i : i; }

struct Run {
  Variables y, h, c;
};

// Runs one direction by a function of whole sequences. `order` has ONNX's numbers of the function's gates.
template <class Function>
Run by_function(const Rnn& rnn, const Direction& d, std::initializer_list<int64_t> order, const Function& function) {
  Variables ws, bs, xs;
  for (const Variable* m : {&d.W, &d.R})
    for (const int64_t k : order) ws.push_back(gate_of(*m, k, rnn.units));
  for (const Variable* m : {&d.Wb, &d.Rb})
    for (const int64_t k : order) bs.push_back(gate_of(*m, k, rnn.units));
  for (int64_t i = 0; i < rnn.steps; ++i) xs.push_back(rnn.xs[static_cast<std::size_t>(time(d, i, rnn.steps))]);
  Run run = function(std::vector<Variables>{ws}, std::vector<Variables>{bs}, xs);
  if (d.reverse) std::reverse(run.y.begin(), run.y.end());
  return run;
}
Variable first(const Variable& states) { return F::get_item(states, {0}); }
Variable layer(const Variable& state) { return F::expand_dims(state, 0); }

template <class OneDirection>
Variables all_directions(const Rnn& rnn, const OneDirection& f) {
  std::vector<Variables> ys;
  Variables h, c;
  for (int64_t d = 0; d < rnn.directions; ++d) {
    Run run = f(rnn.direction(d));
    ys.push_back(std::move(run.y));
    h.push_back(run.h[0]);
    if (!run.c.empty()) c.push_back(run.c[0]);
  }
  return rnn.results(ys, h, c);
}

Variables rnn(const Call& c) {
  const Rnn r(c, 1, {"Tanh"});
  return all_directions(r, [&](const Direction& d) {
    if (r.has_defaults())
      return by_function(r, d, {0}, [&](const auto& ws, const auto& bs, const Variables& xs) {
        auto out = F::n_step_rnn(1, 0, layer(d.h), ws, bs, xs);
        return Run{out.ys, {first(out.hy)}, {}};
      });
    Run run{Variables(static_cast<std::size_t>(r.steps)), {d.h}, {}};
    for (int64_t i = 0; i < r.steps; ++i) {
      const int64_t t = time(d, i, r.steps);
      const Variable z = r.input_product(d, t) + r.state_product(d, run.h[0], i) + d.Wb + d.Rb;
      const Variable y = d.f[0](clipped(c, z));
      run.y[static_cast<std::size_t>(t)] = y;
      run.h[0] = r.kept(t, y, run.h[0]);
    }
    return run;
  });
}

Variables gru(const Call& c) {
  const Rnn r(c, 3, {"Sigmoid", "Tanh"});
  const bool after = c.integer("linear_before_reset", 0);
  const int64_t n = r.units;
  return all_directions(r, [&](const Direction& d) {
    if (after && r.has_defaults())
      return by_function(r, d, {1, 0, 2}, [&](const auto& ws, const auto& bs, const Variables& xs) {
        auto out = F::n_step_gru(1, 0, layer(d.h), ws, bs, xs);
        return Run{out.ys, {first(out.hy)}, {}};
      });
    Run run{Variables(static_cast<std::size_t>(r.steps)), {d.h}, {}};
    const Variable Rb_hidden = gate_of(d.Rb, 2, n);
    for (int64_t i = 0; i < r.steps; ++i) {
      const int64_t t = time(d, i, r.steps);
      const Variable& h = run.h[0];
      const Variable x = r.input_product(d, t) + d.Wb;
      const Variable s = r.state_product(d, h, i) + d.Rb;
      const Variable keep = d.f[0](clipped(c, column(x, 0, n) + column(s, 0, n)));
      const Variable reset = d.f[0](clipped(c, column(x, 1, n) + column(s, 1, n)));
      const Variable hidden = after ? reset * column(s, 2, n) : r.state_product(d, reset * h, i, 2) + Rb_hidden;
      const Variable fresh = d.f[1](clipped(c, column(x, 2, n) + hidden));
      const Variable y = (1.0 - keep) * fresh + keep * h;
      run.y[static_cast<std::size_t>(t)] = y;
      run.h[0] = r.kept(t, y, h);
    }
    return run;
  });
}

Variables lstm(const Call& c) {
  const Rnn r(c, 4, {"Sigmoid", "Tanh", "Tanh"});
  const int64_t n = r.units;
  const bool coupled = c.integer("input_forget", 0);
  return all_directions(r, [&](const Direction& d) {
    if (!d.P && !coupled && r.has_defaults())
      return by_function(r, d, {0, 2, 3, 1}, [&](const auto& ws, const auto& bs, const Variables& xs) {
        auto out = F::n_step_lstm(1, 0, layer(d.h), layer(d.c), ws, bs, xs);
        return Run{out.ys, {first(out.hy)}, {first(out.cy)}};
      });
    Run run{Variables(static_cast<std::size_t>(r.steps)), {d.h}, {d.c}};
    const auto peep = [&](int64_t k, const Variable& z, const Variable& cell) {
      return d.P ? z + gate_of(d.P, k, n) * cell : z;
    };
    for (int64_t i = 0; i < r.steps; ++i) {
      const int64_t t = time(d, i, r.steps);
      const Variable h = run.h[0], before = run.c[0];
      const Variable z = r.input_product(d, t) + r.state_product(d, h, i) + d.Wb + d.Rb;
      const Variable in = d.f[0](clipped(c, peep(0, column(z, 0, n), before)));
      const Variable forget = coupled ? 1.0 - in : d.f[0](clipped(c, peep(2, column(z, 2, n), before)));
      const Variable cell = forget * before + in * d.f[1](clipped(c, column(z, 3, n)));
      const Variable out = d.f[0](clipped(c, peep(1, column(z, 1, n), cell)));
      const Variable y = out * d.f[2](cell);
      run.y[static_cast<std::size_t>(t)] = y;
      run.h[0] = r.kept(t, y, h);
      run.c[0] = r.kept(t, cell, before);
    }
    return run;
  });
}

constexpr Operator kOperators[] = {
    {"GRU", 7, gru, 2 | 4 | 8},
    {"LSTM", 7, lstm, 2 | 4 | 8 | 128},
    {"RNN", 7, rnn, 2 | 4 | 8},
};

constexpr Operator kQuantized[] = {{"QuantizedGRU", 7, gru}, {"QuantizedLSTM", 7, lstm}, {"QuantizedRNN", 7, rnn}};

}  // namespace

std::span<const Operator> quantized_recurrent_operators() { return kQuantized; }
std::span<const Operator> recurrent_operators() { return kOperators; }

}  // namespace chainer::onnx
