// SPDX-License-Identifier: MIT
#include "chainer/onnx/recurrent.h"

#include <algorithm>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/quantized.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {

namespace F = functions;
using host_kernels::Quantization;
using host_kernels::QuantizedWeights;

namespace {

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

}  // namespace

// The products of one direction with weights of eight bits. A state in [-1, 1], as sigmoid and tanh give it, is
// multiplied as integers too; another one is multiplied by the numbers that the integers stand for.
class IntegerProducts {
 public:
  IntegerProducts(const Rnn& rnn, int64_t d) : units_(rnn.units), given_is_small_(rnn.call.integer("small_state")) {
    const Call& c = rnn.call;
    R_ = weights(c.array(2)[d], c.array(9));
    const Array rows = rnn.x.array().reshape({rnn.steps * rnn.batch, rnn.x.shape(2)});
    const Array products =
        host_kernels::quantized_matmul(rows, quantization_of(c, "x"), weights(c.array(1)[d], c.array(8)), true, {});
    const Array by_step = products.reshape({rnn.steps, rnn.batch, products.shape(1)});
    for (int64_t t = 0; t < rnn.steps; ++t) products_.push_back(by_step[t]);
  }
  Variable input(int64_t t) const { return Variable(products_[static_cast<std::size_t>(t)], false); }
  Variable state(const Array& h, bool given, int64_t gate) const {
    const Slice rows = gate < 0 ? Slice() : Slice(gate * units_, (gate + 1) * units_);
    const Array W = R_.W[{rows}], scales = R_.scales.size() == 1 ? R_.scales : R_.scales[{rows}];
    if (given && !given_is_small_) return F::matmul(h, W.astype(float32) * expand_dims(scales, 1), {.transb = true});
    static constexpr Quantization kState{1 / 127.f, 0, int8};
    const QuantizedWeights w{W, scales, zeros({W.shape(0)}, int32)};
    return Variable(host_kernels::quantized_matmul(host_kernels::quantize(h, kState), kState, w, true, {}), false);
  }

 private:
  static QuantizedWeights weights(const Array& W, const Array& scales) {
    return {W, scales, zeros({W.shape(0)}, int32)};
  }
  int64_t units_;
  bool given_is_small_;
  QuantizedWeights R_;
  Arrays products_;
};

Rnn::Rnn(const Call& c, int64_t g, std::vector<std::string> names)
    : call(c), gates(g), defaults(std::move(names)), functions(defaults.size()) {
  batch_first = c.integer("layout", 0);
  x = batch_first ? F::transpose(c[0], {1, 0, 2}) : c[0];
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
  if (c.floating())
    for (int64_t t = 0; t < steps; ++t) xs.push_back(F::get_item(x, {t}));
}

Direction Rnn::direction(int64_t d) const {
  const Call& c = call;
  Direction out;
  out.reverse = d == 1 || c.text("direction", "forward") == "reverse";
  if (c.floating()) {
    out.W = F::get_item(c[1], {d});
    out.R = F::get_item(c[2], {d});
  } else {
    out.integers = std::make_shared<const IntegerProducts>(*this, d);
  }
  const int64_t width = gates * units;
  const auto part = [&](int64_t from) {
    return c.has(3) ? F::get_item(c[3], {d, Slice(from, from + width)}) : Variable(zeros({width}, dtype()), false);
  };
  out.Wb = part(0), out.Rb = part(width);
  const auto state = [&](std::size_t i) {
    if (!c.has(i)) return Variable(zeros({batch, units}, dtype()), false);
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
      out[0] = Variable(zeros({0, directions, batch, units}, dtype()), false);
    else
      out[0] = F::stack(wide, 0);
    if (batch_first) out[0] = F::transpose(out[0], {2, 0, 1, 3});
  }
  out[1] = F::stack(h, batch_first ? 1 : 0);
  if (!c.empty()) out[2] = F::stack(c, batch_first ? 1 : 0);
  return out;
}

bool Rnn::has_defaults() const {
  const auto names = call.texts("activations", {});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != defaults[i % defaults.size()]) return false;
  return call.floating() && lengths.empty() && !call.contains("clip") && steps > 0 && units > 0 && batch > 0;
}

Variable Rnn::input_product(const Direction& d, int64_t t) const {
  return d.integers ? d.integers->input(t) : F::matmul(xs[static_cast<std::size_t>(t)], d.W, {.transb = true});
}
Variable Rnn::state_product(const Direction& d, const Variable& h, int64_t i, int64_t gate) const {
  // (With lengths, rows may keep the given state in later steps.)
  if (d.integers) return d.integers->state(h.array(), call.has(5) && (i == 0 || !lengths.empty()), gate);
  return F::matmul(h, gate < 0 ? d.R : gate_of(d.R, gate, units), {.transb = true});
}

Variable gate_of(const Variable& v, int64_t k, int64_t units) {
  return F::get_item(v, {Slice(k * units, (k + 1) * units)});
}

}  // namespace chainer::onnx
