// SPDX-License-Identifier: MIT
// F: mathematical functions of one number (manual: "Mathematical functions").
// Shapes: every function is elementwise and takes any shape; the result has the shape and dtype of x.
// Errors: every function throws InvalidType if x is not of a floating dtype, except ceil(), fix(), floor() and sign(),
// which take any number. See functions.h for what all functions share.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Computes |x|, also spelled abs(x). The gradient at 0 is 0.
///   F::absolute(array({-1.f, 2.f}))  // [1, 2]
inline constexpr struct Absolute {
  static constexpr std::string_view name = "absolute";
  Variable operator()(const Variable& x) const;
} absolute{};

/// Computes the arc cosine of x in [-1, 1].
///   F::arccos(array({1.f}))  // [0]
inline constexpr struct Arccos {
  static constexpr std::string_view name = "arccos";
  Variable operator()(const Variable& x) const;
} arccos{};

/// Computes the arc sine of x in [-1, 1].
///   F::arcsin(array({0.f}))  // [0]
inline constexpr struct Arcsin {
  static constexpr std::string_view name = "arcsin";
  Variable operator()(const Variable& x) const;
} arcsin{};

/// Computes the arc tangent of x.
///   F::arctan(array({0.f}))  // [0]
inline constexpr struct Arctan {
  static constexpr std::string_view name = "arctan";
  Variable operator()(const Variable& x) const;
} arctan{};

/// Computes the smallest integer that is not less than x; no gradient.
///   F::ceil(array({1.2f}))  // [2]
inline constexpr struct Ceil {
  static constexpr std::string_view name = "ceil";
  Variable operator()(const Variable& x) const;
} ceil{};

/// Limits x to [x_min, x_max]; the gradient is 0 outside. Throws ValueError unless x_min <= x_max.
///   F::clip(array({-2.f, 0.5f}), -1, 1)  // [-1, 0.5]
inline constexpr struct Clip {
  static constexpr std::string_view name = "clip";
  Variable operator()(const Variable& x, double x_min, double x_max) const;
} clip{};

/// Computes the cosine of x.
///   F::cos(array({0.f}))  // [1]
inline constexpr struct Cos {
  static constexpr std::string_view name = "cos";
  Variable operator()(const Variable& x) const;
} cos{};

/// Computes the hyperbolic cosine of x.
///   F::cosh(array({0.f}))  // [1]
inline constexpr struct Cosh {
  static constexpr std::string_view name = "cosh";
  Variable operator()(const Variable& x) const;
} cosh{};

/// Computes the derivative of log(gamma(x)). Throws MissingPartError in a build without Boost.Math, as do erfcinv(),
/// erfinv(), ndtri() and polygamma().
///   F::digamma(array({1.f}))  // [-0.577]
inline constexpr struct Digamma {
  static constexpr std::string_view name = "digamma";
  Variable operator()(const Variable& x) const;
} digamma{};

/// Computes the error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
///   F::erf(array({0.f}))  // [0]
inline constexpr struct Erf {
  static constexpr std::string_view name = "erf";
  Variable operator()(const Variable& x) const;
} erf{};

/// Computes 1 - erf(x), accurate also where erf(x) is near 1.
///   F::erfc(array({0.f}))  // [1]
inline constexpr struct Erfc {
  static constexpr std::string_view name = "erfc";
  Variable operator()(const Variable& x) const;
} erfc{};

/// Computes the inverse of erfc(), for x in [0, 2].
///   F::erfcinv(array({1.f}))  // [0]
inline constexpr struct Erfcinv {
  static constexpr std::string_view name = "erfcinv";
  Variable operator()(const Variable& x) const;
} erfcinv{};

/// Computes exp(x^2) erfc(x), which neither overflows nor underflows for large x.
///   F::erfcx(array({0.f}))  // [1]
inline constexpr struct Erfcx {
  static constexpr std::string_view name = "erfcx";
  Variable operator()(const Variable& x) const;
} erfcx{};

/// Computes the inverse of erf(), for x in [-1, 1].
///   F::erfinv(array({0.5f}))  // [0.477]
inline constexpr struct Erfinv {
  static constexpr std::string_view name = "erfinv";
  Variable operator()(const Variable& x) const;
} erfinv{};

/// Computes e to the power of x.
///   F::exp(array({0.f}))  // [1]
inline constexpr struct Exp {
  static constexpr std::string_view name = "exp";
  Variable operator()(const Variable& x) const;
} exp{};

/// Computes exp(x) - 1, accurate near 0.
///   F::expm1(array({0.f}))  // [0]
inline constexpr struct Expm1 {
  static constexpr std::string_view name = "expm1";
  Variable operator()(const Variable& x) const;
} expm1{};

/// Rounds x towards zero; no gradient.
///   F::fix(array({-1.7f}))  // [-1]
inline constexpr struct Fix {
  static constexpr std::string_view name = "fix";
  Variable operator()(const Variable& x) const;
} fix{};

/// Computes the largest integer that is not greater than x; no gradient.
///   F::floor(array({1.5f}))  // [1]
inline constexpr struct Floor {
  static constexpr std::string_view name = "floor";
  Variable operator()(const Variable& x) const;
} floor{};

/// Computes log |gamma(x)|.
///   F::lgamma(array({3.f}))  // [0.693]
inline constexpr struct Lgamma {
  static constexpr std::string_view name = "lgamma";
  Variable operator()(const Variable& x) const;
} lgamma{};

/// Computes the natural logarithm of x.
///   F::log(array({1.f}))  // [0]
inline constexpr struct Log {
  static constexpr std::string_view name = "log";
  Variable operator()(const Variable& x) const;
} log{};

/// Computes the logarithm of x to base 10.
///   F::log10(array({100.f}))  // [2]
inline constexpr struct Log10 {
  static constexpr std::string_view name = "log10";
  Variable operator()(const Variable& x) const;
} log10{};

/// Computes log(1 + x), accurate near 0.
///   F::log1p(array({0.f}))  // [0]
inline constexpr struct Log1p {
  static constexpr std::string_view name = "log1p";
  Variable operator()(const Variable& x) const;
} log1p{};

/// Computes the logarithm of x to base 2.
///   F::log2(array({8.f}))  // [3]
inline constexpr struct Log2 {
  static constexpr std::string_view name = "log2";
  Variable operator()(const Variable& x) const;
} log2{};

/// Computes the logarithm of ndtr(x), accurate also where ndtr(x) is near 0 or 1.
///   F::log_ndtr(array({0.f}))  // [-0.693]
inline constexpr struct LogNdtr {
  static constexpr std::string_view name = "log_ndtr";
  Variable operator()(const Variable& x) const;
} log_ndtr{};

/// Computes the cumulative distribution function of the standard normal distribution: the probability of a value
/// below x.
///   F::ndtr(array({0.f}))  // [0.5]
inline constexpr struct Ndtr {
  static constexpr std::string_view name = "ndtr";
  Variable operator()(const Variable& x) const;
} ndtr{};

/// Computes the inverse of ndtr(), for x in [0, 1].
///   F::ndtri(array({0.5f}))  // [0]
inline constexpr struct Ndtri {
  static constexpr std::string_view name = "ndtri";
  Variable operator()(const Variable& x) const;
} ndtri{};

/// Computes the n-th derivative of digamma(x), for integers n = 0, 1, ..., elementwise with broadcasting; the result
/// has the dtype of x. Only x has a gradient. Throws InvalidType if n is not integer or the shapes do not broadcast,
/// ValueError if n is negative.
///   F::polygamma(array({1}), array({1.f}))  // [1.645]
inline constexpr struct Polygamma {
  static constexpr std::string_view name = "polygamma";
  Variable operator()(const Variable& n, const Variable& x) const;
} polygamma{};

/// Computes 1 / sqrt(x).
///   F::rsqrt(array({4.f}))  // [0.5]
inline constexpr struct Rsqrt {
  static constexpr std::string_view name = "rsqrt";
  Variable operator()(const Variable& x) const;
} rsqrt{};

/// Computes -1, 0 or 1, the sign of x; no gradient.
///   F::sign(array({-3.f, 0.f}))  // [-1, 0]
inline constexpr struct Sign {
  static constexpr std::string_view name = "sign";
  Variable operator()(const Variable& x) const;
} sign{};

/// Computes the sine of x.
///   F::sin(array({0.f}))  // [0]
inline constexpr struct Sin {
  static constexpr std::string_view name = "sin";
  Variable operator()(const Variable& x) const;
} sin{};

/// Computes the hyperbolic sine of x.
///   F::sinh(array({0.f}))  // [0]
inline constexpr struct Sinh {
  static constexpr std::string_view name = "sinh";
  Variable operator()(const Variable& x) const;
} sinh{};

/// Computes the square root of x.
///   F::sqrt(array({4.f}))  // [2]
inline constexpr struct Sqrt {
  static constexpr std::string_view name = "sqrt";
  Variable operator()(const Variable& x) const;
} sqrt{};

/// Computes x times x.
///   F::square(array({-3.f}))  // [9]
inline constexpr struct Square {
  static constexpr std::string_view name = "square";
  Variable operator()(const Variable& x) const;
} square{};

/// Computes the tangent of x.
///   F::tan(array({0.f}))  // [0]
inline constexpr struct Tan {
  static constexpr std::string_view name = "tan";
  Variable operator()(const Variable& x) const;
} tan{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
