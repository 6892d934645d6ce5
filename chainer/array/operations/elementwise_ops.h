// SPDX-License-Identifier: MIT
// The lists of elementwise operations. A row is
//   X(name, category, cost, formula)
// with category `any` (float32, float64, int64), `floating` (float32, float64) or `special` (as floating; the float64
// form is not vectorised), and the approximate cost of one element in additions. The list determines the number of
// operands: x for unary, a, b and c for the others. Comparisons (a, b) and tests (a) return bool and have rows X(name,
// cost, formula). To add a function, add a row: kernels for every instruction set, the dispatch and the printed name
// are generated from it.
#pragma once
// clang-format off

#define CHAINER_UNARY_OPS(X)                                            \
  X(copy, any, 0, x)                                                    \
  X(negative, any, 1, -x)                                               \
  X(absolute, any, 1, m::abs(x))                                        \
  X(sign, any, 1, m::sign(x))                                           \
  X(square, any, 1, x * x)                                              \
  X(floor, any, 1, m::floor(x))                                         \
  X(ceil, any, 1, m::ceil(x))                                           \
  X(rint, any, 1, m::rint(x))                                           \
  X(trunc, any, 1, m::trunc(x))                                         \
  X(relu, any, 1, x > T(0) ? x : (x == x ? T(0) : x))                   \
  X(sqrt, floating, 3, m::sqrt(x))                                      \
  X(rsqrt, floating, 3, T(1) / m::sqrt(x))                              \
  X(reciprocal, floating, 3, T(1) / x)                                  \
  X(exp, floating, 8, m::exp(x))                                        \
  X(expm1, floating, 8, m::expm1(x))                                    \
  X(log, floating, 8, m::log(x))                                        \
  X(log2, floating, 8, m::log2(x))                                      \
  X(log10, floating, 8, m::log10(x))                                    \
  X(log1p, floating, 8, m::log1p(x))                                    \
  X(sin, floating, 8, m::sin(x))                                        \
  X(cos, floating, 8, m::cos(x))                                        \
  X(tan, floating, 8, m::tan(x))                                        \
  X(arcsin, floating, 8, m::asin(x))                                    \
  X(arccos, floating, 8, m::acos(x))                                    \
  X(arctan, floating, 8, m::atan(x))                                    \
  X(sinh, floating, 8, m::sinh(x))                                      \
  X(cosh, floating, 8, m::cosh(x))                                      \
  X(tanh, floating, 8, m::tanh(x))                                      \
  X(sigmoid, floating, 8, m::sigmoid(x))                                \
  X(softplus, floating, 8, m::softplus(x))                              \
  X(erf, floating, 8, m::erf(x))                                        \
  X(erfc, floating, 8, m::erfc(x))                                      \
  X(gelu, floating, 12, m::gelu(x))                                     \
  X(gelu_tanh, floating, 8, m::gelu_tanh(x))                            \
  X(silu, floating, 8, x * m::sigmoid(x))                               \
  X(digamma, special, 30, m::digamma(x))                                \
  X(erfcinv, special, 30, m::erfcinv(x))                                \
  X(erfcx, special, 30, m::erfcx(x))                                    \
  X(erfinv, special, 30, m::erfinv(x))                                  \
  X(lgamma, special, 12, m::lgamma(x))                                  \
  X(log_ndtr, special, 30, m::log_ndtr(x))                              \
  X(ndtr, special, 12, m::ndtr(x))                                      \
  X(ndtri, special, 30, m::ndtri(x))                                    \
  X(trigamma, special, 30, m::trigamma(x))

#define CHAINER_BINARY_OPS(X)                                           \
  X(add, any, 1, a + b)                                                 \
  X(subtract, any, 1, a - b)                                            \
  X(multiply, any, 1, a * b)                                            \
  X(divide, floating, 3, a / b)                                         \
  X(floor_divide, any, 12, m::floor_divide(a, b))                       \
  X(remainder, any, 12, m::remainder(a, b))                             \
  X(fmod, any, 12, m::fmod(a, b))                                       \
  X(power, any, 12, m::pow(a, b))                                       \
  X(maximum, any, 1, a > b || a != a ? a : b)                           \
  X(minimum, any, 1, a < b || a != a ? a : b)                           \
  X(arctan2, floating, 12, m::atan2(a, b))                              \
  X(leaky_relu, floating, 1, a >= T(0) ? a : a * b)                     \
  X(elu, floating, 12, a >= T(0) ? a : b * m::expm1(a))                 \
  X(prelu_grad_slope, floating, 1, a >= T(0) ? T(0) : a * b)            \
  X(swish, floating, 8, a * m::sigmoid(a * b))                          \
  X(relu_grad, floating, 1, a > T(0) ? b : T(0))                        \
  X(sigmoid_grad, floating, 3, b * a * (T(1) - a))                      \
  X(tanh_grad, floating, 3, b * (T(1) - a * a))                         \
  X(gelu_grad, floating, 16, b * m::gelu_slope(a))                      \
  X(gelu_tanh_grad, floating, 10, b * m::gelu_tanh_slope(a))            \
  X(silu_grad, floating, 8, b * m::swish_slope(a, T(1)))                \
  X(polygamma, special, 30, m::polygamma(a, b))

#define CHAINER_COMPARE_OPS(X)                                          \
  X(equal, 1, a == b)                                                   \
  X(not_equal, 1, a != b)                                               \
  X(less, 1, a < b)                                                     \
  X(less_equal, 1, a <= b)                                              \
  X(greater, 1, a > b)                                                  \
  X(greater_equal, 1, a >= b)                                           \
  X(logical_and, 1, bool(a) & bool(b))                                  \
  X(logical_or, 1, bool(a) | bool(b))                                   \
  X(logical_xor, 1, bool(a) ^ bool(b))

#define CHAINER_TEST_OPS(X)                                             \
  X(isnan, 1, a != a)                                                   \
  X(isfinite, 1, m::isfinite(a))                                        \
  X(isinf, 1, m::isinf(a))                                              \
  X(logical_not, 1, !bool(a))

#define CHAINER_TERNARY_OPS(X)                                          \
  X(clip, any, 1, m::clip(a, b, c))                                     \
  X(multiply_add, any, 1, a * b + c)                                    \
  X(between, floating, 1, a > b && a < c ? T(1) : T(0))                 \
  X(linear_interpolate, floating, 3, a * b + (T(1) - a) * c)            \
  X(prelu_grad, floating, 1, a >= T(0) ? c : b * c)                     \
  X(swish_grad, floating, 8, c * m::swish_slope(a, b))                  \
  X(swish_grad_beta, floating, 8, c * (a * (a * m::sigmoid_slope(a * b))))
// clang-format on
