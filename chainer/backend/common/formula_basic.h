// SPDX-License-Identifier: MIT
// The functions of formulas (formula_math.h) except special functions. Everything here must stay in the anonymous
// namespace.
#pragma once

// glibc has vector versions of these (libmvec; all of them since 2.35 on x86-64). These declarations let loops use
// them.
#if defined(CHAINER_LIBMVEC)
#define CHAINER_SIMD_FUNCTION(NAME)                                   \
  __attribute__((simd("notinbranch"))) float NAME##f(float) noexcept; \
  __attribute__((simd("notinbranch"))) double NAME(double) noexcept;
extern "C" {
CHAINER_SIMD_FUNCTION(exp)
CHAINER_SIMD_FUNCTION(expm1)
CHAINER_SIMD_FUNCTION(log)
CHAINER_SIMD_FUNCTION(log2)
CHAINER_SIMD_FUNCTION(log10)
CHAINER_SIMD_FUNCTION(log1p)
CHAINER_SIMD_FUNCTION(sin)
CHAINER_SIMD_FUNCTION(cos)
CHAINER_SIMD_FUNCTION(tan)
CHAINER_SIMD_FUNCTION(asin)
CHAINER_SIMD_FUNCTION(acos)
CHAINER_SIMD_FUNCTION(atan)
CHAINER_SIMD_FUNCTION(sinh)
CHAINER_SIMD_FUNCTION(cosh)
CHAINER_SIMD_FUNCTION(tanh)
CHAINER_SIMD_FUNCTION(erf)
CHAINER_SIMD_FUNCTION(erfc)
__attribute__((simd("notinbranch"))) float atan2f(float, float) noexcept;
__attribute__((simd("notinbranch"))) double atan2(double, double) noexcept;
}
#undef CHAINER_SIMD_FUNCTION
#endif

// The declaration specifiers of a formula. Backends that need more than `inline` define this before the include.
#ifndef CHAINER_FORMULA
#define CHAINER_FORMULA inline
#endif

#include <math.h>

#include <cstdint>

#include "chainer/backend/common/vector_math.h"

namespace {
namespace m {

#define CHAINER_MATH(NAME)                                     \
  CHAINER_FORMULA float NAME(float x) { return ::NAME##f(x); } \
  CHAINER_FORMULA double NAME(double x) { return ::NAME(x); }
#if defined(CHAINER_OWN_VECTORS)
using vector_math::exp, vector_math::expm1, vector_math::log, vector_math::log2, vector_math::log10;
using vector_math::log1p, vector_math::sinh, vector_math::cosh, vector_math::tanh, vector_math::erf;
CHAINER_FORMULA double erf(double x) { return ::erf(x); }
#else
#if defined(CHAINER_LIBMVEC)
// libmvec's vector function calls expf() for each number beyond +-87, such as a masked score, which takes many times as
// long.
CHAINER_FORMULA float exp(float x) { return vector_math::exp(x); }
CHAINER_FORMULA double exp(double x) { return ::exp(x); }
#else
CHAINER_MATH(exp)
#endif
CHAINER_MATH(expm1)
CHAINER_MATH(log)
CHAINER_MATH(log2)
CHAINER_MATH(log10)
CHAINER_MATH(log1p)
CHAINER_MATH(sinh)
CHAINER_MATH(cosh)
CHAINER_MATH(tanh)
CHAINER_MATH(erf)
#endif
CHAINER_MATH(sqrt)
CHAINER_MATH(sin)
CHAINER_MATH(cos)
CHAINER_MATH(tan)
CHAINER_MATH(asin)
CHAINER_MATH(acos)
CHAINER_MATH(atan)
CHAINER_MATH(erfc)
CHAINER_MATH(floor)
CHAINER_MATH(ceil)
CHAINER_MATH(rint)
CHAINER_MATH(trunc)
#undef CHAINER_MATH

CHAINER_FORMULA int64_t floor(int64_t x) { return x; }
CHAINER_FORMULA int64_t ceil(int64_t x) { return x; }
CHAINER_FORMULA int64_t rint(int64_t x) { return x; }
CHAINER_FORMULA int64_t trunc(int64_t x) { return x; }
CHAINER_FORMULA float abs(float x) { return __builtin_fabsf(x); }
CHAINER_FORMULA double abs(double x) { return __builtin_fabs(x); }
CHAINER_FORMULA int64_t abs(int64_t x) { return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x; }
template <class T>
CHAINER_FORMULA T sign(T x) {
  return x != x ? x : static_cast<T>((x > T(0)) - (x < T(0)));
}
template <class T>
CHAINER_FORMULA T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}
// The derivative of sigmoid, and the derivative of x sigmoid(beta x) with respect to x.
template <class T>
CHAINER_FORMULA T sigmoid_slope(T x) {
  const T y = sigmoid(x);
  return y * (T(1) - y);
}
template <class T>
CHAINER_FORMULA T swish_slope(T x, T beta) {
  const T z = beta * x, y = sigmoid(z), slope = y * (T(1) - y);
  return y + (slope > T(0) ? z * slope : slope);
}
// x Phi(x), with the distribution function Phi of normal numbers, and its derivative.
template <class T>
CHAINER_FORMULA T gelu(T x) {
  return x * (T(0.5) * erfc(x * T(-0.70710678118654752440)));
}
template <class T>
CHAINER_FORMULA T gelu_slope(T x) {
  const T density = T(0.39894228040143267794) * exp(T(-0.5) * (x * x));
  return T(0.5) * erfc(x * T(-0.70710678118654752440)) + (density > T(0) ? x * density : density);
}
// The approximation x sigmoid(c (x + 0.044715 x^3)), c = sqrt(8 / pi), and its derivative.
template <class T>
CHAINER_FORMULA T gelu_tanh(T x) {
  return x * sigmoid(x * (T(1.5957691216057307117) + T(0.071354816272600249) * (x * x)));
}
template <class T>
CHAINER_FORMULA T gelu_tanh_slope(T x) {
  const T c = T(1.5957691216057307117), d = T(0.071354816272600249), square = x * x;
  const T y = sigmoid(x * (c + d * square)), slope = y * (T(1) - y);
  return y + (slope > T(0) ? x * slope * (c + T(3) * d * square) : slope);
}
template <class T>
CHAINER_FORMULA T softplus(T x) {
  return (x > T(0) ? x : (x == x ? T(0) : x)) + log1p(exp(-abs(x)));
}
template <class T>
CHAINER_FORMULA T clip(T x, T lo, T hi) {
  const T y = x < lo ? lo : x;
  return y > hi ? hi : y;
}
CHAINER_FORMULA float atan2(float a, float b) { return ::atan2f(a, b); }
CHAINER_FORMULA double atan2(double a, double b) { return ::atan2(a, b); }
CHAINER_FORMULA float pow(float a, float b) { return ::powf(a, b); }
CHAINER_FORMULA double pow(double a, double b) { return ::pow(a, b); }
CHAINER_FORMULA int64_t pow(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  uint64_t r = 1, base = static_cast<uint64_t>(a);
  for (; b; b >>= 1, base *= base)
    if (b & 1) r *= base;
  return static_cast<int64_t>(r);
}
CHAINER_FORMULA float fmod(float a, float b) { return ::fmodf(a, b); }
// fmod() without a call, for quotients below 2^28 (else NaN): the integral part of the quotient and its product with b
// are exact in double.
CHAINER_FORMULA float fmod_of_near(float a, float b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b), q = __builtin_trunc(x / y);
  const double r = __builtin_copysign(x - q * y, x);
  return static_cast<float>(q < 0x1p28 && q > -0x1p28 ? r : __builtin_nan(""));
}
CHAINER_FORMULA double fmod(double a, double b) { return ::fmod(a, b); }
CHAINER_FORMULA int64_t fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
// The remainder has the sign of the divisor, also if it is zero, as in Python.
template <class T>
CHAINER_FORMULA T remainder(T a, T b) {
  const T r = fmod(a, b);
  if (r == T(0)) return b < T(0) ? -T(0) : T(0);
  return (r < T(0)) != (b < T(0)) ? r + b : r;
}
template <class T>
CHAINER_FORMULA T floor_divide_float(T a, T b) {
  if (b == T(0)) return a / b;
  const T r = fmod(a, b);
  T q = (a - r) / b;
  if (r != T(0) && ((r < T(0)) != (b < T(0)))) q -= T(1);
  if (q == T(0)) return a / b * T(0);
  const T f = floor(q);
  return q - f > T(0.5) ? f + T(1) : f;
}
CHAINER_FORMULA float floor_divide(float a, float b) { return floor_divide_float(a, b); }
CHAINER_FORMULA double floor_divide(double a, double b) { return floor_divide_float(a, b); }
CHAINER_FORMULA int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}
}  // namespace m
}  // namespace
