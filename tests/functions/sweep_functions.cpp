// SPDX-License-Identifier: MIT
// Elementwise functions, arithmetic, and array functions as functions of one number.
#include "sweep.h"

namespace sweep {
namespace {

Variable pair(const Variable& x, double value) { return columns({x, constant(value, x)}); }
// [[x, 0.5], [0.25, 2]]
Variable matrices(const Variable& x) {
  return F::reshape(columns({x, constant(0.5, x), constant(0.25, x), constant(2, x)}), {x.size(), 2, 2});
}
Variable arctan2_of(double value, const Variable& x) { return F::arctan2(constant(value, x), x); }

}  // namespace

void add_functions(std::vector<Case>& c) {
  const auto add = [&](std::string name, auto f) { c.push_back({std::move(name), f}); };
  using V = const Variable&;
  const auto unary = [&](auto f) { c.push_back({std::string(f.name) + "(x)", [f](V x) { return f(x); }}); };
  unary(F::absolute), unary(F::arccos), unary(F::arcsin), unary(F::arctan), unary(F::ceil), unary(F::cos);
  unary(F::cosh), unary(F::digamma), unary(F::erf), unary(F::erfc), unary(F::erfcinv), unary(F::erfcx);
  unary(F::erfinv), unary(F::exp), unary(F::expm1), unary(F::fix), unary(F::floor), unary(F::lgamma), unary(F::log);
  unary(F::log10), unary(F::log1p), unary(F::log2), unary(F::log_ndtr), unary(F::ndtr), unary(F::ndtri);
  unary(F::rsqrt), unary(F::sin), unary(F::sinh), unary(F::sqrt), unary(F::square), unary(F::tan), unary(F::elu);
  unary(F::hard_sigmoid), unary(F::relu), unary(F::selu), unary(F::sigmoid), unary(F::tanh), unary(F::softplus);
  for (int n : {0, 1, 2, 5})
    add(text("polygamma(", n, ", x)"), [n](V x) { return F::polygamma(full(x.shape(), n, int32), x); });
  add("crelu(x)", [](V x) { return column(F::crelu(columns({x})), 0); });
  add("clip(x, -1, 1.75)", [](V x) { return F::clip(x, -1, 1.75); });
  add("clipped_relu(x, 20)", [](V x) { return F::clipped_relu(x); });
  add("elu(x, 0.5)", [](V x) { return F::elu(x, {.alpha = 0.5}); });
  add("leaky_relu(x, 0.25)", [](V x) { return F::leaky_relu(x, {.slope = 0.25}); });
  add("prelu(x, 0.25)", [](V x) { return F::prelu(columns({x}), full({1}, 0.25, x.dtype())).reshape(x.shape()); });
  add("prelu(-0.75, x)", [](V x) { return F::reshape(F::prelu(F::expand_dims(constant(-0.75, x), 0), x), x.shape()); });
  add("softplus(x, 4)", [](V x) { return F::softplus(x, {.beta = 4}); });
  add("softplus(x, -0.5)", [](V x) { return F::softplus(x, {.beta = -0.5}); });
  add("swish(x, 1.5)", [](V x) { return F::swish(columns({x}), full({1}, 1.5, x.dtype())).reshape(x.shape()); });
  for (double v : {1.5, -20.0})
    add(text("swish(", v, ", x)"),
        [v](V x) { return F::reshape(F::swish(F::expand_dims(constant(v, x), 0), x), x.shape()); });
  add("maxout(x, 0.75)", [](V x) { return column(F::maxout(pair(x, 0.75), 2), 0); });
  add("softmax(x, 0)", [](V x) { return column(F::softmax(pair(x, 0)), 0); });
  add("softmax(0, x)", [](V x) { return column(F::softmax(pair(x, 0)), 1); });
  add("log_softmax(x, 0)", [](V x) { return column(F::log_softmax(pair(x, 0)), 0); });
  add("log_softmax(0, x)", [](V x) { return column(F::log_softmax(pair(x, 0)), 1); });

  add("x + 0.75", [](V x) { return x + 0.75; });
  add("0.75 - x", [](V x) { return 0.75 - x; });
  add("x * 0.75", [](V x) { return x * 0.75; });
  add("x / 0.75", [](V x) { return x / 0.75; });
  add("0.75 / x", [](V x) { return 0.75 / x; });
  add("x / y by y", [](V x) { return constant(0.75, x) / x; });
  for (double p : {-1., -0.5, 0.25, 0.5, 2., 2.5, 3.}) {
    add(text("x ** ", p), [p](V x) { return pow(x, p); });
    add(text("pow(x, y) at ", p), [p](V x) { return pow(x, constant(p, x)); });
  }
  for (double b : {0.5, 2., 10.}) {
    add(text(b, " ** x"), [b](V x) { return pow(b, x); });
    add(text("pow(x, y) of ", b), [b](V x) { return pow(constant(b, x), x); });
  }
  add("arctan2(x, 0.75)", [](V x) { return F::arctan2(x, constant(0.75, x)); });
  add("arctan2(x, -0.75)", [](V x) { return F::arctan2(x, constant(-0.75, x)); });
  add("arctan2(x, 1e-20)", [](V x) { return F::arctan2(x, constant(1e-20f, x)); });
  add("arctan2(x, 1e+20)", [](V x) { return F::arctan2(x, constant(1e20f, x)); });
  add("arctan2(0.75, x)", [](V x) { return arctan2_of(0.75, x); });
  add("arctan2(-0.75, x)", [](V x) { return arctan2_of(-0.75, x); });
  add("arctan2(1e-20, x)", [](V x) { return arctan2_of(1e-20f, x); });
  add("arctan2(1e+20, x)", [](V x) { return arctan2_of(1e20f, x); });
  add("average with weights by w", [](V x) {
    return F::average(columns({constant(0.75, x), constant(2, x)}), 1, {.weights = pair(x, 0.25)});
  });
  add("batch_l2_norm_squared([x, 0.5])", [](V x) { return F::batch_l2_norm_squared(pair(x, 0.5)); });
  add("cumprod([x, 0.5, x])[2]", [](V x) { return column(F::cumprod(columns({x, constant(0.5, x), x}), 1), 2); });
  add("cumsum([x, 0.5])[1]", [](V x) { return column(F::cumsum(pair(x, 0.5), 1), 1); });
  add("det([[x, 0.5], [0.25, 2]])", [](V x) { return F::batch_det(matrices(x)); });
  add("inv([[x, 0.5], [0.25, 2]])[0, 0]", [](V x) { return F::batch_inv(matrices(x))[{Slice(), 0, 0}]; });
  add("einsum(x x)", [](V x) { return F::einsum("i,i->i", {x, x}); });
  add("matmul(x x)", [](V x) {
    const Variable m = x.reshape({x.size(), 1, 1});
    return F::matmul(m, m).reshape(x.shape());
  });
  add("fft(x, 0)[1]", [](V x) { return column(F::fft({pair(x, 0.5), pair(constant(0, x), 0)})[0], 1); });
  add("fmod(x, 0.75)", [](V x) { return F::fmod(x, constant(0.75, x)); });
  add("fmod(10.25, x)", [](V x) { return F::fmod(constant(10.25, x), x); });
  add("linear_interpolate(x, 0.75, -0.5)",
      [](V x) { return F::linear_interpolate(x, constant(0.75, x), constant(-0.5, x)); });
  add("linear_interpolate(0.25, x, -0.5)",
      [](V x) { return F::linear_interpolate(constant(0.25, x), x, constant(-0.5, x)); });
  add("logsumexp([x, 0])", [](V x) { return F::logsumexp(pair(x, 0), 1); });
  add("logsumexp([x, x + 1])", [](V x) { return F::logsumexp(columns({x, x + 1}), 1); });
  add("maximum(x, 0.75)", [](V x) { return F::maximum(x, constant(0.75, x)); });
  add("minimum(x, 0.75)", [](V x) { return F::minimum(x, constant(0.75, x)); });
  add("max([x, 0.75])", [](V x) { return F::max(pair(x, 0.75), 1); });
  add("prod([x, 0.5, x])", [](V x) { return F::prod(columns({x, constant(0.5, x), x}), 1); });
  add("scale(x, 0.75)", [](V x) { return F::scale(x, constant(0.75, x), 0); });
  add("squared_difference(x, 0.75)", [](V x) { return F::squared_difference(x, constant(0.75, x)); });
  add("sum([x, 0.75])", [](V x) { return F::sum(pair(x, 0.75), 1); });
  add("where(x < 0, x, 0.75 x)", [](V x) { return F::where(less(x.array(), 0), x, x * 0.75); });
}

}  // namespace sweep
