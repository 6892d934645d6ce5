// The list of elementwise operations: the one place that names them. A row is
//   X(name, category, formula)
// with category `any` (float32, float64, int64), `floating` (float32, float64) or `special` (as floating, in loops that
// do not vectorise). A result of a comparison is bool.
// To add a function, add a row; kernels for every instruction set, the dispatch and the name for printing follow.
#pragma once
// clang-format off

#define CHAINER_UNARY_OPS(X)                                     \
  X(copy, any, x)                                                \
  X(negative, any, -x)                                           \
  X(absolute, any, m::abs(x))                                    \
  X(sign, any, m::sign(x))                                       \
  X(square, any, x * x)                                          \
  X(floor, any, m::floor(x))                                     \
  X(ceil, any, m::ceil(x))                                       \
  X(rint, any, m::rint(x))                                       \
  X(trunc, any, m::trunc(x))                                     \
  X(relu, any, x > T(0) ? x : (x == x ? T(0) : x))               \
  X(sqrt, floating, m::sqrt(x))                                  \
  X(rsqrt, floating, T(1) / m::sqrt(x))                          \
  X(reciprocal, floating, T(1) / x)                              \
  X(exp, floating, m::exp(x))                                    \
  X(expm1, floating, m::expm1(x))                                \
  X(log, floating, m::log(x))                                    \
  X(log2, floating, m::log2(x))                                  \
  X(log10, floating, m::log10(x))                                \
  X(log1p, floating, m::log1p(x))                                \
  X(sin, floating, m::sin(x))                                    \
  X(cos, floating, m::cos(x))                                    \
  X(tan, floating, m::tan(x))                                    \
  X(arcsin, floating, m::asin(x))                                \
  X(arccos, floating, m::acos(x))                                \
  X(arctan, floating, m::atan(x))                                \
  X(sinh, floating, m::sinh(x))                                  \
  X(cosh, floating, m::cosh(x))                                  \
  X(tanh, floating, m::tanh(x))                                  \
  X(sigmoid, floating, m::sigmoid(x))                            \
  X(softplus, floating, m::softplus(x))                          \
  X(erf, floating, m::erf(x))                                    \
  X(erfc, floating, m::erfc(x))                                  \
  X(digamma, special, m::digamma(x))                             \
  X(erfcinv, special, m::erfcinv(x))                             \
  X(erfcx, special, m::erfcx(x))                                 \
  X(erfinv, special, m::erfinv(x))                               \
  X(lgamma, special, m::lgamma(x))                               \
  X(log_ndtr, special, m::log_ndtr(x))                           \
  X(ndtr, special, m::ndtr(x))                                   \
  X(ndtri, special, m::ndtri(x))

#define CHAINER_BINARY_OPS(X)                                    \
  X(add, any, a + b)                                             \
  X(subtract, any, a - b)                                        \
  X(multiply, any, a * b)                                        \
  X(divide, floating, a / b)                                     \
  X(floor_divide, any, m::floor_divide(a, b))                    \
  X(remainder, any, m::remainder(a, b))                          \
  X(fmod, any, m::fmod(a, b))                                    \
  X(power, any, m::pow(a, b))                                    \
  X(maximum, any, a > b || a != a ? a : b)                       \
  X(minimum, any, a < b || a != a ? a : b)                       \
  X(arctan2, floating, m::atan2(a, b))                           \
  X(leaky_relu, floating, a >= T(0) ? a : a * b)                 \
  X(elu, floating, a >= T(0) ? a : b * m::expm1(a))              \
  X(prelu_grad_slope, floating, a >= T(0) ? T(0) : a * b)        \
  X(swish, floating, a * m::sigmoid(a * b))                      \
  X(relu_grad, floating, a > T(0) ? b : T(0))                    \
  X(sigmoid_grad, floating, b * a * (T(1) - a))                  \
  X(tanh_grad, floating, b * (T(1) - a * a))                     \
  X(polygamma, special, m::polygamma(a, b))

#define CHAINER_COMPARE_OPS(X)                                   \
  X(equal, a == b)                                               \
  X(not_equal, a != b)                                           \
  X(less, a < b)                                                 \
  X(less_equal, a <= b)                                          \
  X(greater, a > b)                                              \
  X(greater_equal, a >= b)                                       \
  X(logical_and, bool(a) & bool(b))                              \
  X(logical_or, bool(a) | bool(b))                               \
  X(logical_xor, bool(a) ^ bool(b))                              \
  X(isnan, a != a)                                               \
  X(isfinite, m::isfinite(a))                                    \
  X(isinf, m::isinf(a))                                          \
  X(logical_not, !bool(a))

#define CHAINER_TERNARY_OPS(X)                                   \
  X(clip, any, m::clip(a, b, c))                                 \
  X(multiply_add, any, a * b + c)                                \
  X(linear_interpolate, floating, a * b + (T(1) - a) * c)         \
  X(prelu_grad, floating, a >= T(0) ? c : b * c)                 \
  X(swish_grad, floating, c * m::swish_slope(a, b))              \
  X(swish_grad_beta, floating, c * (a * (a * m::sigmoid_slope(a * b))))
// clang-format on
