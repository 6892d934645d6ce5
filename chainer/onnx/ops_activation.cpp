// SPDX-License-Identifier: MIT
// Activation functions.
#include <cmath>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Returns a where the condition is true, b elsewhere. The condition has no gradient.
Variable choose(const Array& condition, const Variable& a, const Variable& b) {
  return F::where(Variable(condition, false), a, b);
}
Variable zeros_of(const Variable& x) { return Variable(zeros_like(x.array()), false); }
Variable sigmoid_of(const Variable& x) { return F::sigmoid(x); }

Variables relu(const Call& c) {
  if (!c.floating()) return {Variable(chainer::relu(c.array(0)), false)};
  return {F::relu(c[0])};
}
Variables sigmoid(const Call& c) { return {F::sigmoid(c[0])}; }
Variables tanh(const Call& c) { return {F::tanh(c[0])}; }
Variables softplus(const Call& c) { return {F::softplus(c[0])}; }
Variables softsign(const Call& c) { return {c[0] / (F::absolute(c[0]) + 1.0)}; }
Variables leaky_relu(const Call& c) { return {F::leaky_relu(c[0], {.slope = c.real("alpha", 0.01)})}; }
Variables elu(const Call& c) { return {F::elu(c[0], {.alpha = c.real("alpha", 1.0)})}; }
Variables celu(const Call& c) {
  const double alpha = c.real("alpha", 1.0);
  return {F::elu(c[0] / alpha, {.alpha = 1}) * alpha};
}
Variables selu(const Call& c) {
  return {F::selu(c[0], {.alpha = c.real("alpha", 1.67326319217681884765625),
                         .scale = c.real("gamma", 1.05070102214813232421875)})};
}
Variables prelu(const Call& c) {
  const Variable& x = c[0];
  return {choose(x.array() >= 0, x, x * F::broadcast_to(c[1], broadcast_shapes(c[1].shape(), x.shape(), "PRelu")))};
}
Variables hard_sigmoid(const Call& c) { return {F::clip(c[0] * c.real("alpha", 0.2) + c.real("beta", 0.5), 0, 1)}; }
Variables hard_swish(const Call& c) { return {c[0] * F::clip(c[0] / 6.0 + 0.5, 0, 1)}; }
Variables thresholded_relu(const Call& c) { return {choose(c.array(0) > c.real("alpha", 1.0), c[0], zeros_of(c[0]))}; }
Variables shrink(const Call& c) {
  const double bias = c.real("bias", 0.0), lambda = c.real("lambd", 0.5);
  if (!c.floating()) {
    const Array x = c.array(0).astype(float64);
    return {
        chainer::where(x < -lambda, x + bias, chainer::where(x > lambda, x - bias, zeros_like(x))).astype(c.dtype())};
  }
  const Variable& x = c[0];
  return {choose(x.array() < -lambda, x + bias, choose(x.array() > lambda, x - bias, zeros_of(x)))};
}
Variables swish(const Call& c) { return {c[0] * sigmoid_of(c[0] * c.real("alpha", 1.0))}; }
Variables gelu(const Call& c) {
  const Variable& x = c[0];
  if (c.text("approximate", "none") == "tanh") {
    const double k = std::sqrt(2 / M_PI);
    return {x * 0.5 * (F::tanh((x + x * x * x * 0.044715) * k) + 1.0)};
  }
  return {x * 0.5 * (F::erf(x * std::sqrt(0.5)) + 1.0)};
}
Variables mish(const Call& c) { return {c[0] * F::tanh(F::softplus(c[0]))}; }

// Before operator set 13 all axes from `axis` on are treated as one; since then `axis` is one axis.
template <class Function>
Variable over_axis(const Call& c, const Function& f) {
  const Variable& x = c[0];
  const int axis = c.axis(c.integer("axis", c.opset() < 13 ? 1 : -1), std::max(x.ndim(), 1));
  if (x.ndim() == 0) return F::reshape(f(F::reshape(x, {1}), 0), {});
  if (c.opset() >= 13) return f(x, axis);
  int64_t rows = 1;
  for (int i = 0; i < axis; ++i) rows *= x.shape()[i];
  return F::reshape(f(F::reshape(x, {rows, rows ? x.size() / rows : 0}), 1), x.shape());
}
Variables softmax(const Call& c) {
  return {over_axis(c, [](const Variable& x, int axis) { return F::softmax(x, axis); })};
}
Variables log_softmax(const Call& c) {
  return {over_axis(c, [](const Variable& x, int axis) { return F::log_softmax(x, axis); })};
}
Variables hardmax(const Call& c) {
  return {over_axis(c, [](const Variable& x, int axis) {
    const Array best = expand_dims(chainer::argmax(x.array(), axis), axis);
    Shape along = Shape(Dims::filled(x.ndim(), 1));
    along[axis] = x.shape()[axis];
    return Variable((arange(x.shape()[axis]).reshape(along) == best).astype(x.dtype()), false);
  })};
}

constexpr Operator kOperators[] = {
    {"Celu", 12, celu},
    {"Elu", 6, elu},
    {"Gelu", 20, gelu},
    {"HardSigmoid", 6, hard_sigmoid},
    {"HardSwish", 14, hard_swish},
    {"Hardmax", 1, hardmax},
    {"LeakyRelu", 6, leaky_relu},
    {"LogSoftmax", 1, log_softmax},
    {"Mish", 18, mish},
    {"PRelu", 7, prelu, 2},
    {"Relu", 6, relu},
    {"Selu", 6, selu},
    {"Shrink", 9, shrink},
    {"Sigmoid", 6, sigmoid},
    {"Softmax", 1, softmax},
    {"Softplus", 1, softplus},
    {"Softsign", 1, softsign},
    {"Swish", 24, swish},
    {"Tanh", 6, tanh},
    {"ThresholdedRelu", 10, thresholded_relu},
};

}  // namespace

std::span<const Operator> activation_operators() { return kOperators; }

}  // namespace chainer::onnx
