// SPDX-License-Identifier: MIT
// Elementwise functions of one input.
#include <cmath>
#include <cstring>
#include <numbers>

#include "chainer/array/host.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::onnx {
namespace {

// Calls a differentiable function for floating elements, a routine for others.
template <auto& function, Array (*routine)(const Array&)>
Variables either(const Call& c) {
  return {c.floating() ? function(c[0]) : Variable(routine(c.array(0)), false)};
}
template <auto& function>
Variables apply_one(const Call& c) {
  return {function(c[0])};
}
template <Array (*routine)(const Array&)>
Variables rounded(const Call& c) {
  return {c.floating() ? Variable(routine(c.array(0)), false) : c[0]};
}

Variables signs(const Call& c) { return {Variable(sign(c.array(0)), false)}; }
Variables neg(const Call& c) { return {-c[0]}; }
Variables reciprocal(const Call& c) { return {1.0 / c[0]}; }

// Beyond this limit, x * x overflows or x * x + 1 == x * x.
double large(const Variable& x) { return x.dtype() == float16 ? 100 : 1e8; }
// Returns log(2 x) where x is large, `otherwise` elsewhere.
Variable or_logarithm(const Variable& x, const Variable& otherwise) {
  const Variable far = functions::log(functions::clip(x, large(x), HUGE_VAL));
  return functions::where(Variable(x.array() > large(x), false), far + std::numbers::ln2, otherwise);
}
Variables asinh(const Call& c) {
  const Variable& x = c[0];
  const Variable negative(x.array() < 0, false), a = functions::where(negative, -x, x);
  const Variable b = functions::clip(a, 0, large(x));
  const Variable y = or_logarithm(a, functions::log1p(b + b * b / (functions::sqrt(b * b + 1.0) + 1.0)));
  return {functions::where(negative, -y, y)};
}
Variables acosh(const Call& c) {
  const Variable& x = c[0];
  // Below x = 1, the argument of the square root is negative, which gives NaN.
  const Variable b = functions::clip(x - 1.0, -1, large(x));
  return {or_logarithm(x, functions::log1p(b + functions::sqrt(b * (b + 2.0))))};
}
Variables atanh(const Call& c) { return {(functions::log1p(c[0]) - functions::log1p(-c[0])) * 0.5}; }

Variables clip(const Call& c) {
  const auto limit = [&](const char* name, std::size_t i) -> std::optional<Variable> {
    if (c.has(i)) return c[i];
    if (const Attribute* a = c.find(name)) return Variable(scalar_array(a->real, c.array(0)), false);
    return std::nullopt;
  };
  const auto lo = limit("min", 1), hi = limit("max", 2);
  Variable y = c[0];
  if (!c.floating()) {
    Array a = y.array();
    if (lo) a = maximum(a, lo->array());
    if (hi) a = minimum(a, hi->array());
    return {a.astype(y.dtype(), false)};
  }
  const bool fixed = lo && hi && !lo->requires_grad() && !hi->requires_grad();
  if (fixed && lo->size() == 1 && hi->size() == 1 && lo->item<double>() <= hi->item<double>())
    return {functions::clip(y, lo->item<double>(), hi->item<double>())};
  if (lo) y = functions::maximum(y, functions::broadcast_to(*lo, y.shape()));
  if (hi) y = functions::minimum(y, functions::broadcast_to(*hi, y.shape()));
  return {y};
}

Variables cast_to(const Call& c, Dtype dtype) {
  if (c.floating() && is_floating(dtype)) return {functions::cast(c[0], dtype)};
  return {Variable(c.array(0).astype(dtype), false)};
}
Variables cast(const Call& c) { return cast_to(c, dtype_of_element(c.integer("to"), c.where())); }
Variables cast_like(const Call& c) { return cast_to(c, c[1].dtype()); }
Variables identity(const Call& c) { return {c[0]}; }

// Reinterprets the bits of elements of the same size.
Variables bit_cast(const Call& c) {
  const Dtype to = dtype_of_element(c.integer("to"), c.where());
  const Array x = to_host(c.array(0)).contiguous();
  if (item_size(to) != item_size(x.dtype()) || to == bool_) c.fail("cannot reinterpret ", x.dtype(), " as ", to);
  Array y(x.shape(), to);
  if (x.nbytes()) std::memcpy(y.mutable_raw(), x.raw(), static_cast<std::size_t>(x.nbytes()));
  return {Variable(y.to_device(c.array(0).device()), false)};
}

constexpr Operator kOperators[] = {
    {"Abs", 6, either<functions::absolute, chainer::absolute>},
    {"Acos", 7, apply_one<functions::arccos>},
    {"Acosh", 9, acosh},
    {"Asin", 7, apply_one<functions::arcsin>},
    {"Asinh", 9, asinh},
    {"Atan", 7, apply_one<functions::arctan>},
    {"Atanh", 9, atanh},
    {"BitCast", 26, bit_cast},
    {"Cast", 6, cast},
    {"CastLike", 15, cast_like},
    {"Ceil", 6, rounded<chainer::ceil>},
    {"Clip", 6, clip},
    {"Cos", 7, apply_one<functions::cos>},
    {"Cosh", 9, apply_one<functions::cosh>},
    {"Erf", 9, apply_one<functions::erf>},
    {"Exp", 6, apply_one<functions::exp>},
    {"Floor", 6, rounded<chainer::floor>},
    {"Identity", 1, identity, 1},
    {"Log", 6, apply_one<functions::log>},
    {"Neg", 6, neg},
    {"Reciprocal", 6, reciprocal},
    {"Round", 11, rounded<chainer::rint>},
    {"Sign", 9, signs},
    {"Sin", 7, apply_one<functions::sin>},
    {"Sinh", 9, apply_one<functions::sinh>},
    {"Sqrt", 6, apply_one<functions::sqrt>},
    {"Tan", 7, apply_one<functions::tan>},
};

}  // namespace

std::span<const Operator> elementwise_operators() { return kOperators; }

}  // namespace chainer::onnx
