// SPDX-License-Identifier: MIT
#include "chainer/distributions/parameters.h"

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::distributions {

void prepare(std::string_view distribution, std::initializer_list<Parameter> parameters) {
  for (const Parameter& p : parameters) *p.value = widened(*p.value);
  Shape shape;
  const Parameter& first = *parameters.begin();
  for (const Parameter& p : parameters) {
    if (!*p.value) throw ValueError(distribution, ": parameter '", p.name, "' is missing");
    if (!is_floating(p.value->dtype()) || p.value->dtype() != first.value->dtype())
      throw TypeError(distribution, ": parameters must have the same floating dtype; '", p.name, "' has ",
                      p.value->dtype(), ", '", first.name, "' ", first.value->dtype());
    shape = broadcast_shapes(shape, p.value->shape(), distribution);
  }
  for (const Parameter& p : parameters)
    if (p.value->shape() != shape) *p.value = F::broadcast_to(*p.value, shape);
}

Shape with_samples(int64_t n, const Shape& shape) {
  Shape out = {n};
  for (int64_t d : shape) out.push_back(d);
  return out;
}

Variable constant(double value, const Variable& like) {
  return Variable(full({}, value, like.dtype(), like.device()), false);
}
Variable drawn(const Array& numbers, const Variable& like) { return Variable(numbers.to_device(like.device()), false); }

namespace {
struct VanishingExp : FunctionNode {
  std::string label() const override { return "exp"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {exp(x[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable y = retained_output(0), zero = constant(0, y);
    const Array nothing = logical_and(isinf(y.array()), equal(gy[0].array(), 0));
    const Variable vanishes(logical_or(equal(y.array(), 0), nothing), false);
    return {F::where(vanishes, zero, y * F::where(vanishes, zero, gy[0]))};
  }
};
struct GuardedLog : FunctionNode {
  explicit GuardedLog(bool plus_one) : plus_one(plus_one) {}
  std::string label() const override { return plus_one ? "log1p" : "log"; }
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {plus_one ? log1p(x[0]) : log(x[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0), slope = plus_one ? x + 1 : x;
    const Variable vanishes(logical_and(equal(gy[0].array(), 0), equal(slope.array(), 0)), false);
    return {gy[0] / F::where(vanishes, constant(1, x), slope)};
  }
  bool plus_one;
};
// The product of a weight and a logarithm, of one shape. The gradient with respect to the weight is 0 where the
// incoming gradient is, also if the logarithm is infinite.
struct GuardedProduct : FunctionNode {
  std::string label() const override { return "_ * _"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {x[0] * x[1]};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable weight = retained_input(0), logarithm = retained_input(1);
    const Variable vanishes(logical_and(equal(gy[0].array(), 0), isinf(logarithm.array())), false);
    return {gy[0] * F::where(vanishes, constant(0, logarithm), logarithm), gy[0] * weight};
  }
};
}  // namespace

Variable guarded_log(const Variable& x) { return apply_single(GuardedLog(false), x); }
Variable guarded_log1p(const Variable& x) { return apply_single(GuardedLog(true), x); }
Variable vanishing_exp(const Variable& x) { return apply_single(VanishingExp(), x); }

Variable xlogx(const Variable& x) {
  const Variable positive(greater(x.array(), 0), false);
  return x * F::log(F::where(positive, x, constant(1, x)));
}

Variable weighted(const Variable& weight, const Variable& logarithm) {
  const Variable nothing(logical_and(equal(weight.array(), 0), isinf(logarithm.array())), false);
  const Variable other = F::where(nothing, constant(0, logarithm), logarithm);
  const Shape shape = broadcast_shapes(weight.shape(), other.shape(), "weighted");
  return apply_single(GuardedProduct(), F::broadcast_to(weight, shape), F::broadcast_to(other, shape));
}

Variable weighted_difference(const Variable& weight, const Variable& a, const Variable& b) {
  const Variable nothing(equal(weight.array(), 0), false);
  const auto finite = [&](const Variable& logarithm) { return F::where(nothing, constant(0, logarithm), logarithm); };
  return weight * (finite(a) - finite(b));
}

}  // namespace chainer::distributions
