// SPDX-License-Identifier: MIT
// Recurrent layers over whole sequences.
#include <algorithm>
#include <functional>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/rnn.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;
using Activation = std::function<Variable(const Variable&)>;

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char ch) { return std::tolower(ch); });
  return name;
}

// Returns an activation by its name in lower case.
Activation activation(const Call& c, const std::string& name, double alpha, double beta) {
  if (name == "sigmoid") return F::sigmoid;
  if (name == "tanh") return F::tanh;
  if (name == "relu") return F::relu;
  if (name == "softplus") return [](const Variable& x) { return F::softplus(x); };
  if (name == "softsign") return [](const Variable& x) { return x / (F::absolute(x) + 1.0); };
  if (name == "affine") return [=](const Variable& x) { return x * alpha + beta; };
  if (name == "leakyrelu") return [=](const Variable& x) { return F::leaky_relu(x, {.slope = alpha}); };
  if (name == "elu") return [=](const Variable& x) { return F::elu(x, {.alpha = alpha}); };
  if (name == "thresholdedrelu")
    return [=](const Variable& x) { return x * Variable((x.array() > alpha).astype(x.dtype()), false); };
  if (name == "hardsigmoid") return [=](const Variable& x) { return F::clip(x * alpha + beta, 0, 1); };
  if (name == "scaledtanh") return [=](const Variable& x) { return F::tanh(x * beta) * alpha; };
  c.fail("unknown activation '", name, "'");
}

// The weights, initial states and activations of one direction.
struct Direction {
  Variable W, R, Wb, Rb, h, c, P;
  std::vector<Activation> f;
  bool reverse;
};

struct Rnn {
  const Call& call;
  int64_t gates;  // number of gates with weights
  std::vector<std::string> defaults;
  std::size_t functions;  // number of activations per direction
  int64_t steps = 0, batch = 0, units = 0, directions = 0;
  bool batch_first = false;
  std::vector<int64_t> lengths;
  Variables xs;

  Rnn(const Call& c, int64_t gates_, std::vector<std::string> names);
  Direction direction(int64_t d) const;
  // Returns the new state for rows whose sequences continue at time t, the old one for others.
  Variable kept(int64_t t, const Variable& now, const Variable& before) const;
  Variables results(const std::vector<Variables>& ys, const Variables& h, const Variables& c) const;
  bool has_defaults() const;
};

Rnn::Rnn(const Call& c, int64_t g, std::vector<std::string> names)
    : call(c), gates(g), defaults(std::move(names)), functions(defaults.size()) {
  batch_first = c.integer("layout", 0);
  const Variable x = batch_first ? F::transpose(c[0], {1, 0, 2}) : c[0];
  if (x.ndim() != 3 || c[1].ndim() != 3 || c[2].ndim() != 3)
    c.fail("x, W and R must have three axes, not shapes ", c[0].shape(), ", ", c[1].shape(), ", ", c[2].shape());
  steps = x.shape(0), batch = x.shape(1), units = c[2].shape(2), directions = c[1].shape(0);
  const std::string way = c.text("direction", "forward");
  if ((way == "bidirectional" ? 2 : 1) != directions || c[1].shape(1) != gates * units ||
      c[2].shape() != Shape{directions, gates * units, units})
    c.fail("W of shape ", c[1].shape(), " and R of shape ", c[2].shape(), " for direction '", way, "'");
  if (c.has(4)) {
    if (static_cast<int64_t>(c[4].size()) != batch) c.fail(c[4].size(), " lengths for a batch of ", batch);
    const std::vector<int64_t> given = c.values(4);
    if (std::any_of(given.begin(), given.end(), [&](int64_t n) { return n != steps; })) lengths = given;
  }
  for (int64_t t = 0; t < steps; ++t) xs.push_back(F::get_item(x, {t}));
}

Direction Rnn::direction(int64_t d) const {
  const Call& c = call;
  Direction out;
  out.reverse = d == 1 || c.text("direction", "forward") == "reverse";
  out.W = F::get_item(c[1], {d});
  out.R = F::get_item(c[2], {d});
  const int64_t width = gates * units;
  const auto part = [&](int64_t from) {
    return c.has(3) ? F::get_item(c[3], {d, Slice(from, from + width)}) : Variable(zeros({width}, c.dtype()), false);
  };
  out.Wb = part(0), out.Rb = part(width);
  const auto state = [&](std::size_t i) {
    if (!c.has(i)) return Variable(zeros({batch, units}, c.dtype()), false);
    return batch_first ? F::get_item(c[i], {Slice(), d}) : F::get_item(c[i], {d});
  };
  out.h = state(5);
  if (gates == 4) out.c = state(6);
  if (gates == 4 && c.has(7)) out.P = F::get_item(c[7], {d});
  const auto names = c.texts("activations", {});
  const auto alpha = c.reals("activation_alpha"), beta = c.reals("activation_beta");
  // The lists have values only for the activations that have parameters, in order.
  std::size_t alphas = 0, betas = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(d + 1) * functions; ++k) {
    const std::string name = lower(k < names.size() ? names[k] : defaults[k % functions]);
    const bool takes_both = name == "affine" || name == "hardsigmoid" || name == "scaledtanh",
               takes_alpha = takes_both || name == "leakyrelu" || name == "elu" || name == "thresholdedrelu";
    const double a = name == "leakyrelu"     ? 0.01
                     : name == "hardsigmoid" ? 0.2
                                             : 1.0,
                 b = name == "hardsigmoid"  ? 0.5
                     : name == "scaledtanh" ? 1.0
                                            : 0.0;
    const double first = takes_alpha && alphas < alpha.size() ? alpha[alphas++] : a,
                 second = takes_both && betas < beta.size() ? beta[betas++] : b;
    if (k >= static_cast<std::size_t>(d) * functions) out.f.push_back(activation(c, name, first, second));
  }
  return out;
}

Variable Rnn::kept(int64_t t, const Variable& now, const Variable& before) const {
  if (lengths.empty()) return now;
  return F::where(Variable(array(lengths, Shape{batch, 1}) > t, false), now, before);
}

Variables Rnn::results(const std::vector<Variables>& ys, const Variables& h, const Variables& c) const {
  Variables out(3);
  if (call.wants(0)) {
    Variables wide;
    for (int64_t t = 0; t < steps; ++t) {
      Variables both;
      for (const Variables& y : ys) {
        const Variable& v = y[static_cast<std::size_t>(t)];
        both.push_back(lengths.empty() ? v : kept(t, v, Variable(zeros_like(v.array()), false)));
      }
      wide.push_back(F::stack(both, 0));
    }
    if (wide.empty())
      out[0] = Variable(zeros({0, directions, batch, units}, call.dtype()), false);
    else
      out[0] = F::stack(wide, 0);
    if (batch_first) out[0] = F::transpose(out[0], {2, 0, 1, 3});
  }
  out[1] = F::stack(h, batch_first ? 1 : 0);
  if (!c.empty()) out[2] = F::stack(c, batch_first ? 1 : 0);
  return out;
}

// Returns true if the functions of the library compute the same.
bool Rnn::has_defaults() const {
  const auto names = call.texts("activations", {});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != defaults[i % defaults.size()]) return false;
  return lengths.empty() && !call.contains("clip") && steps > 0 && units > 0 && batch > 0;
}

Variable clipped(const Call& c, const Variable& x) {
  if (!c.contains("clip")) return x;
  const double limit = c.real("clip");
  return F::clip(x, -limit, limit);
}

// Returns the rows of gate k of a matrix or vector with gates in blocks.
Variable gate(const Variable& v, int64_t k, int64_t units) {
  return F::get_item(v, {Slice(k * units, (k + 1) * units)});
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
    for (const int64_t k : order) ws.push_back(gate(*m, k, rnn.units));
  for (const Variable* m : {&d.Wb, &d.Rb})
    for (const int64_t k : order) bs.push_back(gate(*m, k, rnn.units));
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
      const Variable z = F::matmul(r.xs[static_cast<std::size_t>(t)], d.W, {.transb = true}) +
                         F::matmul(run.h[0], d.R, {.transb = true}) + d.Wb + d.Rb;
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
    const Variable R_hidden = gate(d.R, 2, n), Rb_hidden = gate(d.Rb, 2, n);
    for (int64_t i = 0; i < r.steps; ++i) {
      const int64_t t = time(d, i, r.steps);
      const Variable& h = run.h[0];
      const Variable x = F::matmul(r.xs[static_cast<std::size_t>(t)], d.W, {.transb = true}) + d.Wb;
      const Variable s = F::matmul(h, d.R, {.transb = true}) + d.Rb;
      const Variable keep = d.f[0](clipped(c, column(x, 0, n) + column(s, 0, n)));
      const Variable reset = d.f[0](clipped(c, column(x, 1, n) + column(s, 1, n)));
      const Variable hidden =
          after ? reset * column(s, 2, n) : F::matmul(reset * h, R_hidden, {.transb = true}) + Rb_hidden;
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
      return d.P ? z + gate(d.P, k, n) * cell : z;
    };
    for (int64_t i = 0; i < r.steps; ++i) {
      const int64_t t = time(d, i, r.steps);
      const Variable h = run.h[0], before = run.c[0];
      const Variable z = F::matmul(r.xs[static_cast<std::size_t>(t)], d.W, {.transb = true}) +
                         F::matmul(h, d.R, {.transb = true}) + d.Wb + d.Rb;
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

}  // namespace

std::span<const Operator> recurrent_operators() { return kOperators; }

}  // namespace chainer::onnx
