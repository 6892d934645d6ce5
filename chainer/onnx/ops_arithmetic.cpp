// SPDX-License-Identifier: MIT
// Arithmetic operators with broadcasting.
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/kernel.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Variables add(const Call& c) { return {c[0] + c[1]}; }
Variables sub(const Call& c) { return {c[0] - c[1]}; }
Variables mul(const Call& c) { return {c[0] * c[1]}; }

// Integer division truncates towards zero; division by zero gives zero.
Variables div(const Call& c) {
  if (c.floating()) return {c[0] / c[1]};
  const auto quotient = [](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>)
      return b == 0 ? decltype(a)(0) : b == -1 ? decltype(a)(0 - static_cast<uint64_t>(a)) : a / b;
    else
      return a / b;
  };
  return {elementwise(quotient, c.array(0), c.array(1)).astype(c.dtype(), false)};
}

Variables mod(const Call& c) {
  const Array &a = c.array(0), &b = c.array(1);
  if (c.integer("fmod", 0) || c.floating()) {
    if (c.floating() && c.integer("fmod", 0)) {
      const Shape shape = broadcast_shapes(a.shape(), b.shape(), "Mod");
      return {F::fmod(F::broadcast_to(c[0], shape), F::broadcast_to(c[1], shape))};
    }
    return {(c.integer("fmod", 0) ? chainer::fmod(a, b) : remainder(a, b)).astype(c.dtype(), false)};
  }
  return {remainder(a, b).astype(c.dtype(), false)};
}

Variables power(const Call& c) {
  const Variable &a = c[0], &b = c[1];
  if (!c.floating()) {  // an integer base with a floating exponent is computed in float64
    const Dtype wide = is_floating(b.dtype()) ? float64 : promote(a.dtype(), b.dtype());
    return {chainer::power(a.array().astype(wide, false), b.array().astype(wide, false)).astype(a.dtype(), false)};
  }
  if (b.size() == 1 && !b.requires_grad() && b.ndim() <= a.ndim()) return {pow(a, b.array().scalar())};
  return {pow(a, is_floating(b.dtype()) ? F::cast(b, a.dtype()) : Variable(b.array().astype(a.dtype()), false))};
}

template <class Function>
Variables fold(const Call& c, const Function& f) {
  Variable y = c[0];
  for (std::size_t i = 1; i < c.count(); ++i) y = f(y, c[i]);
  return {y};
}
Variables sum(const Call& c) {
  return fold(c, [](const Variable& a, const Variable& b) { return a + b; });
}
Variables mean(const Call& c) { return {sum(c)[0] / static_cast<double>(c.count())}; }

// Uses the differentiable function for floating elements, the routine for others.
template <class Function>
Variables extreme(const Call& c, const Function& f, Array (*routine)(const Array&, const Array&)) {
  return fold(c, [&](const Variable& a, const Variable& b) {
    if (!is_floating(a.dtype())) return Variable(routine(a.array(), b.array()).astype(a.dtype(), false), false);
    const Shape shape = broadcast_shapes(a.shape(), b.shape(), c.node().op_type);
    return f(F::broadcast_to(a, shape), F::broadcast_to(b, shape));
  });
}
Variables max(const Call& c) { return extreme(c, F::maximum, chainer::maximum); }
Variables min(const Call& c) { return extreme(c, F::minimum, chainer::minimum); }

template <class Operation>
Variables bits(const Call& c, const Operation& f) {
  const auto loop = [&f](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>)
      return f(a, b);
    else
      return a;
  };
  return {elementwise(loop, c.array(0), c.array(1)).astype(c.dtype(), false)};
}
Variables bitwise_and(const Call& c) {
  return bits(c, [](auto a, auto b) { return a & b; });
}
Variables bitwise_or(const Call& c) {
  return bits(c, [](auto a, auto b) { return a | b; });
}
Variables bitwise_xor(const Call& c) {
  return bits(c, [](auto a, auto b) { return a ^ b; });
}
Variables bitwise_not(const Call& c) {
  return {(Scalar(-1) - c.array(0).astype(int64, false)).astype(c.dtype(), false)};
}

// Bits shifted out of the type are lost; negative shifts and shifts by more than all bits give zero.
Variables bit_shift(const Call& c) {
  if (c.floating() || c.dtype() == bool_) c.fail("elements must be integers, not ", c.dtype());
  const bool left = c.text("direction") == "LEFT";
  const int64_t bits = 8 * item_size(c.dtype());
  const auto shift = [left, bits](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>) {
      if (b < 0 || b >= bits) return decltype(a)(!left && a < 0 ? -1 : 0);
      return left ? static_cast<decltype(a)>(static_cast<uint64_t>(a) << b) : a >> b;
    } else {
      return a;
    }
  };
  return {elementwise(shift, c.array(0), c.array(1)).astype(c.dtype(), false)};
}

constexpr Operator kOperators[] = {
    {"Add", 7, add, 3},
    {"BitShift", 11, bit_shift},
    {"BitwiseAnd", 18, bitwise_and},
    {"BitwiseNot", 18, bitwise_not},
    {"BitwiseOr", 18, bitwise_or},
    {"BitwiseXor", 18, bitwise_xor},
    {"Div", 7, div},
    {"Max", 6, max},
    {"Mean", 6, mean},
    {"Min", 6, min},
    {"Mod", 10, mod},
    {"Mul", 7, mul, 3},
    {"Pow", 7, power},
    {"Sub", 7, sub, 3},
    {"Sum", 6, sum},
};

}  // namespace

std::span<const Operator> arithmetic_operators() { return kOperators; }

}  // namespace chainer::onnx
