// SPDX-License-Identifier: MIT
// Functions of one number without branches, calls or tables, so that loops over them vectorise on any processor; for
// machines whose C library has no vector versions. Their error is less than 2.5 units in the last place (less than one
// for exp and log). They handle infinities, NaN, signed zeros and denormal numbers. Included by formula_math.h:
// everything here must stay in the anonymous namespace.
//
// The coefficients are those of the polynomials that interpolate the named function at the Chebyshev points of its
// interval.
#pragma once
#include <cstdint>

namespace {
namespace vector_math {

template <class T>
struct Format;
template <>
struct Format<float> {
  using Int = int32_t;
  using Unsigned = uint32_t;
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr float kRound = 0x1.8p23f;  // adding it rounds to an integer in the lowest bits
  static constexpr float kLog2High = 0x1.62ep-1f, kLog2Low = 0x1.0bfbe8p-15f;  // products with exponents are exact
  static constexpr float kLog10Of2High = 0x1.344p-2f, kLog10Of2Low = 0x1.3509f8p-18f;
  static constexpr float kExpLeast = -104, kExpMost = 89, kExpm1Least = -18, kTanhMost = 10, kSinhSmall = 10;
  static constexpr float kLeastNormal = 0x1p-126f, kRaise = 0x1p24f;
  static constexpr int kRaised = 24;
  static constexpr Int kRootHalf = 0x3f3504f3;
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2; (log((1 + s) / (1 - s)) / s - 2) / s^2 by s^2 <= 0.0295
  static constexpr float kExp[] = {0x1p-1f,       0x1.555556p-3f,  0x1.5554e8p-5f,
                                   0x1.1110ep-7f, 0x1.6d44b2p-10f, 0x1.a12652p-13f};
  static constexpr float kLog[] = {0x1.555554p-1f, 0x1.9999ecp-2f, 0x1.245c08p-2f, 0x1.dddbaap-3f};
};
template <>
struct Format<double> {
  using Int = int64_t;
  using Unsigned = uint64_t;
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLog2High = 0x1.62e42fefp-1, kLog2Low = 0x1.473de6af278edp-34;
  static constexpr double kLog10Of2High = 0x1.34413509p-2, kLog10Of2Low = 0x1.ef3fde623e256p-35;
  static constexpr double kExpLeast = -746, kExpMost = 710.5, kExpm1Least = -40, kTanhMost = 20, kSinhSmall = 22;
  static constexpr double kLeastNormal = 0x1p-1022, kRaise = 0x1p54;
  static constexpr int kRaised = 54;
  static constexpr Int kRootHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kExp[] = {0x1p-1,
                                    0x1.5555555555555p-3,
                                    0x1.5555555555557p-5,
                                    0x1.1111111111111p-7,
                                    0x1.6c16c16c15a0ap-10,
                                    0x1.a01a01a01967ap-13,
                                    0x1.a01a01aa109bbp-16,
                                    0x1.71de3a5abc8c6p-19,
                                    0x1.27e4d3b13855fp-22,
                                    0x1.ae642c13c8d5fp-26,
                                    0x1.1f7fe7ae52b1p-29,
                                    0x1.61c0771ef2dc6p-33};
  static constexpr double kLog[] = {0x1.5555555555555p-1, 0x1.9999999999a3ap-2, 0x1.249249247670ap-2,
                                    0x1.c71c7201fc0e6p-3, 0x1.745cf8c09a9d4p-3, 0x1.3b1c43c68eb6dp-3,
                                    0x1.0fbd140544b63p-3, 0x1.0c135adcf3011p-3};
};
template <class T>
using Int = typename Format<T>::Int;
constexpr double kLog2E = 0x1.71547652b82fep+0, kLog10E = 0x1.bcb7b1526e50ep-2;

template <class T>
inline Int<T> bits(T x) {
  return __builtin_bit_cast(Int<T>, x);
}
template <class T>
inline T magnitude(T x) {
  return x < T(0) ? -x : x;
}
template <class T>
inline T with_sign(T x, T sign) {
  constexpr Int<T> kSign = Int<T>(1) << (8 * sizeof(T) - 1);
  return __builtin_bit_cast(T, (bits(x) & ~kSign) | (bits(sign) & kSign));
}
template <class T, int N>
inline T polynomial(const T (&c)[N], T x) {
  T y = c[N - 1];
  for (int i = N - 2; i >= 0; --i) y = y * x + c[i];
  return y;
}
template <class T>
inline T power_of_two(Int<T> k) {
  using F = Format<T>;
  return __builtin_bit_cast(T, (k + F::kBias) << F::kMantissa);
}
// v 2^k in two steps, each within the range, rounded once.
template <class T>
inline T scaled(T v, Int<T> k) {
  const Int<T> half = k >> 1;
  return v * power_of_two<T>(half) * power_of_two<T>(k - half);
}

// exp(x) = (1 + rest) 2^k
template <class T>
struct Exponential {
  T rest;
  Int<T> k;
};
template <class T>
inline Exponential<T> exponential(T x) {
  using F = Format<T>;
  const T shifted = x * static_cast<T>(kLog2E) + F::kRound, n = shifted - F::kRound;
  const T r = (x - n * F::kLog2High) - n * F::kLog2Low;
  return {r + r * r * polynomial(F::kExp, r), bits(shifted) - bits(F::kRound)};
}
// (exp(x) - 1) / 2^k from the parts of exp(x).
template <class T>
inline T less_one(const Exponential<T>& e) {
  const Int<T> k = e.k > 100 ? 100 : e.k;
  return e.rest + (T(1) - power_of_two<T>(-k));
}
template <class T>
inline T limited(T x, T least, T most) {
  const T y = x < least ? least : x;  // NaN is kept
  return y > most ? most : y;
}

template <class T>
inline T exp(T x) {
  const Exponential<T> e = exponential(limited(x, Format<T>::kExpLeast, Format<T>::kExpMost));
  return scaled(T(1) + e.rest, e.k);
}
template <class T>
inline T expm1(T x) {
  const Exponential<T> e = exponential(limited(x, Format<T>::kExpm1Least, Format<T>::kExpMost));
  return with_sign(scaled(less_one(e), e.k), x);
}
template <class T>
inline T tanh(T x) {
  const T a = magnitude(x), most = Format<T>::kTanhMost;
  const Exponential<T> e = exponential(T(2) * (a > most ? most : a));
  const T y = less_one(e) * power_of_two<T>(e.k);
  return with_sign(y / (y + T(2)), x);
}
template <class T>
inline T sinh(T x) {
  const T a = magnitude(x), most = Format<T>::kExpMost + 1;
  const Exponential<T> e = exponential(a > most ? most : a);
  const T small = less_one(e) * power_of_two<T>(e.k > 100 ? 100 : e.k);
  const T half = scaled(T(1) + e.rest, e.k - 1);
  const T y = a < Format<T>::kSinhSmall ? T(0.5) * (small + small / (small + T(1))) : half;
  return with_sign(y, x);
}
template <class T>
inline T cosh(T x) {
  const T a = magnitude(x), most = Format<T>::kExpMost + 1;
  const Exponential<T> e = exponential(a > most ? most : a);
  const T half = scaled(T(1) + e.rest, e.k - 1);
  return half + T(0.25) / half;
}

// x = 2^k (1 + f), with 1 + f between sqrt(1/2) and sqrt(2); x is positive and normal.
template <class T>
struct Logarithm {
  T f, k;
};
template <class T>
inline Logarithm<T> logarithm(T x) {
  using F = Format<T>;
  using U = typename F::Unsigned;  // lanes with other x, whose results are unused, may wrap around
  const U u = __builtin_bit_cast(U, x);
  const Int<T> k = static_cast<Int<T>>(u - static_cast<U>(F::kRootHalf)) >> F::kMantissa;
  return {__builtin_bit_cast(T, u - (static_cast<U>(k) << F::kMantissa)) - T(1), static_cast<T>(k)};
}
// Returns f - log(1 + f). With s = f / (2 + f), log((1 + s) / (1 - s)) is 2 s plus a polynomial.
template <class T>
inline T less_than_f(T f, T added) {
  const T s = f / (T(2) + f), z = s * s, half = T(0.5) * f * f;
  return half - (s * (half + z * polynomial(Format<T>::kLog, z)) + added);
}
// Returns `value`, the logarithm of x, or the special value for x outside of its range.
template <class T>
inline T in_range(T x, T value) {
  const T infinity = static_cast<T>(__builtin_inf());
  const T most = x == infinity ? infinity : value, least = x == T(0) ? -infinity : most;
  return x < T(0) ? static_cast<T>(__builtin_nan("")) : (x == x ? least : x);
}
template <class T>
inline Logarithm<T> logarithm_of_any(T x) {
  using F = Format<T>;
  const bool tiny = x < F::kLeastNormal;
  Logarithm<T> l = logarithm(tiny ? x * F::kRaise : x);
  l.k -= tiny ? T(F::kRaised) : T(0);
  return l;
}

template <class T>
inline T log(T x) {
  const Logarithm<T> l = logarithm_of_any(x);
  return in_range(x, l.k * Format<T>::kLog2High - (less_than_f(l.f, l.k * Format<T>::kLog2Low) - l.f));
}
template <class T>
inline T log2(T x) {
  const Logarithm<T> l = logarithm_of_any(x);
  return in_range(x, (l.f - less_than_f(l.f, T(0))) * static_cast<T>(kLog2E) + l.k);
}
template <class T>
inline T log10(T x) {
  using F = Format<T>;
  const Logarithm<T> l = logarithm_of_any(x);
  const T part = (l.f - less_than_f(l.f, T(0))) * static_cast<T>(kLog10E);
  return in_range(x, l.k * F::kLog10Of2High + (part + l.k * F::kLog10Of2Low));
}
template <class T>
inline T log1p(T x) {
  using F = Format<T>;
  const T u = T(1) + x;
  const T lost = (x > T(1) ? T(1) - (u - x) : x - (u - T(1))) / u;  // the rounding error of the sum
  const Logarithm<T> l = logarithm(u);
  const T y = in_range(u, l.k * F::kLog2High - (less_than_f(l.f, l.k * F::kLog2Low + lost) - l.f));
  return with_sign(y, x);
}

// Near zero from a polynomial for erf(x) / x, else from one for log(1 - erf(x)).
inline float erf(float x) {
  constexpr float kNear[] = {0x1.20dd76p+0f, -0x1.812746p-2f, 0x1.ce2f1ap-4f,  -0x1.b82ba8p-6f,
                             0x1.5643f6p-8f, -0x1.be349p-11f, 0x1.e22772p-14f, -0x1.5e664p-17f};
  constexpr float kFar[] = {0x1.4b438ep-12f, -0x1.215634p+0f, -0x1.43804ap-1f,  -0x1.c2de7cp-4f, 0x1.b0e53ep-6f,
                            -0x1.3801f2p-8f, 0x1.3922ep-11f,  -0x1.82f8c6p-15f, 0x1.b8aba0p-20f};
  const float a = magnitude(x), t = a > 4 ? 4 : a;
  const Exponential<float> e = exponential(polynomial(kFar, t));
  const float far = 1 - (1 + e.rest) * power_of_two<float>(e.k);
  return with_sign(a < 0.9f ? a * polynomial(kNear, a * a) : far, x);
}

}  // namespace vector_math
}  // namespace
