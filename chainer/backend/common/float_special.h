// SPDX-License-Identifier: MIT
// Special functions of float32 numbers in float32 arithmetic, without branches, so that loops over them vectorise. The
// error is at most 3e-6 of the result f or of |x f'|, the effect of rounding x. At poles, at limits and outside of
// their domains they return the same as the double functions (special.h). Compiled for several instruction sets:
// everything here must stay in the anonymous namespace.
//
// The coefficients are those of the polynomials that interpolate the named function at the Chebyshev points of its
// interval.
#pragma once
#include "chainer/backend/common/formula_basic.h"

namespace {
namespace m {
namespace float_special {

template <int N>
CHAINER_FORMULA float polynomial(const float (&c)[N], float x) {
  float y = c[N - 1];
  for (int i = N - 2; i >= 0; --i) y = y * x + c[i];
  return y;
}
constexpr float kPi = 3.14159265358979f, kRootHalf = 0.707106781186548f;

// The inverse of erf at s, with c = (1 - |s|) (1 + |s|): s times a function of w = -log(c), which is approximated by a
// polynomial of w for w < 5, and by polynomials of sqrt(w) up to 4.4 and up to 10.2.
CHAINER_FORMULA float inverse_erf(float s, float c) {
  constexpr float kNear[] = {0x1.805c5cp+0f,   0x1.f91eccp-3f,   -0x1.11c43ep-8f, -0x1.48aa56p-10f, 0x1.c9d5e4p-13f,
                             -0x1.25f5c8p-18f, -0x1.cfb152p-19f, 0x1.6f7602p-22f, 0x1.845e24p-26f};
  constexpr float kFar[] = {0x1.8abcc2p+1f,   0x1.01589ap+0f,  0x1.604e48p-8f,   -0x1.ea6f24p-9f,  0x1.41ed88p-9f,
                            -0x1.c312d8p-10f, 0x1.125be6p-10f, -0x1.4db758p-12f, -0x1.572dbcp-14f, 0x1.0b76b4p-14f};
  constexpr float kFarther[] = {0x1.c7c0b4p+2f,   0x1.0222a4p+0f,  -0x1.093ab8p-11f, 0x1.7314f2p-17f, 0x1.214bdap-18f,
                                -0x1.1cb83ap-20f, 0x1.d9311cp-23f, -0x1.094868p-24f, 0x1.2e41ecp-27f};
  const float w = -m::log(c), root = m::sqrt(w);
  const float near = polynomial(kNear, w - 2.5f), far = polynomial(kFar, root - 3.25f);
  const float farther = polynomial(kFarther, root - 7.25f);
  return s * (w < 5 ? near : (root < 4.4f ? far : farther));
}
CHAINER_FORMULA float erfinv(float x) { return inverse_erf(x, (1 - x) * (1 + x)); }
CHAINER_FORMULA float erfcinv(float x) { return inverse_erf(1 - x, x * (2 - x)); }
CHAINER_FORMULA float ndtri(float x) { return -2 * kRootHalf * erfcinv(2 * x); }

// exp(x^2), where the rounding error of x^2 is corrected by a separate factor.
CHAINER_FORMULA float exp_square(float x) {
  const float high = __builtin_bit_cast(float, __builtin_bit_cast(int32_t, x) & ~0xfff), low = x - high;
  const float square = x * x;
  return m::exp(square) * (1 + ((high * high - square) + 2 * high * low + low * low));
}
// For x >= 0: t times a polynomial of t = 1 / (1 + 0.4 x).
CHAINER_FORMULA float erfcx(float x) {
  constexpr float kFactor[] = {0x1.afbb4p-2f,  0x1.4995dcp-1f,  0x1.73d8c8p-1f,  0x1.1893e4p-1f,
                               0x1.73aceep-3f, -0x1.b7f962p-4f, -0x1.f703ep-4f,  0x1.6be8cp-6f,
                               0x1.146a16p-4f, -0x1.3a9e7ep-7f, -0x1.d61eecp-6f, 0x1.83cb48p-8f};
  const float a = m::abs(x), t = 1 / (1 + 0.4f * a), right = t * polynomial(kFactor, t - 0.5f);
  const float left = 2 * exp_square(a > 10 ? 10 : a) - right;
  return x < 0 ? left : right;
}
CHAINER_FORMULA float ndtr(float x) { return 0.5f * m::erfc(-kRootHalf * x); }
CHAINER_FORMULA float log_ndtr(float x) {
  const float t = kRootHalf * x;
  const float left = m::log(0.5f * erfcx(-t)) - 0.5f * x * x, right = m::log1p(-0.5f * m::erfc(t));
  return x < -1 ? left : right;
}

// log |gamma(z)| for z > 0: log(factor) plus or minus a second term. For z between 1.5 and 2.5 the term is a polynomial
// times z - 2; smaller numbers, and larger ones up to 8, are shifted into this interval. Above 8, Stirling's series.
CHAINER_FORMULA float lgamma(float x) {
  constexpr float kSlope[] = {0x1.b0ee6p-2f,    0x1.4a34ccp-2f,  -0x1.13e002p-4f,  0x1.513216p-6f,
                              -0x1.e404d4p-8f,  0x1.7aec52p-9f,  -0x1.38ba16p-10f, 0x1.091dc8p-11f,
                              -0x1.d01f28p-13f, 0x1.e24578p-14f, -0x1.b4e38p-15f};
  const float z = m::abs(x), most = z > 8 ? 8 : z;
  const float moved = m::rint(most - 2), steps = moved > 0 ? moved : 0;
  // z - 2 of the shifted number, without the rounding of a sum.
  const float d = z < 0.5f ? z : (z < 1.5f ? z - 1 : (most - 2) - steps);
  float product = 1;
  for (int i = 0; i < 6; ++i) product *= static_cast<float>(i) < steps ? d + (2 + static_cast<float>(i)) : 1.f;
  const float near = d * polynomial(kSlope, d);
  // The factor that the shift introduces: z (z + 1), z, or the inverse of the product.
  const bool below = z < 0.5f, negative = x < 0, large = z >= 8;
  const float off = below ? z * (z + 1) : z;
  const float factor = large ? z : (z < 1.5f ? off : product);
  const float r = z - m::rint(z), sine = m::abs(m::sin(kPi * r));
  // |gamma(-z) gamma(z)| = pi / (z sin(pi z)); near 0 the factors z are omitted.
  const float reflected = m::log(kPi * (below ? z + 1 : 1 / z) / sine);
  const float logarithm = m::log(negative && below ? 1.f : factor);
  const float inverse = 1 / z;
  const float stirling = (z - 0.5f) * (logarithm - 1) + (0.418938533f + inverse * (1.f / 12 - inverse * inverse / 360));
  const float positive = large ? stirling : (z < 1.5f ? near - logarithm : near + logarithm);
  const float value = negative ? reflected - positive : positive;
  const float infinity = __builtin_inff();
  return z == infinity ? infinity : value;
}

// Shifts z to an argument y >= 6 of an asymptotic series; sum() is the sum of 1 / y^Power over the steps, kept as a
// fraction.
template <int Power>
struct Raised {
  float y, above = 0, below = 1;
  CHAINER_FORMULA explicit Raised(float z) : y(z) {
    for (int i = 0; i < 6; ++i) {
      const bool step = y < 6;
      const float power = Power == 1 ? y : y * y;
      above = step ? above * power + below : above;
      below = step ? below * power : below;
      y = step ? y + 1 : y;
    }
  }
  CHAINER_FORMULA float sum() const { return above / below; }
};
// digamma(x) = digamma(1 - x) - pi / tan(pi x) for negative x.
CHAINER_FORMULA float digamma(float x) {
  const bool negative = x < 0;
  const Raised<1> raised(negative ? 1 - x : x);
  const float v = 1 / raised.y, u = v * v;
  const float series = v * 0.5f + u * (1.f / 12 - u * (1.f / 120 - u / 252));
  const float positive = m::log(raised.y) - series - raised.sum();
  const float r = x - m::rint(x), reflected = positive - kPi / m::tan(kPi * r);
  const float value = negative ? (r == 0 ? __builtin_nanf("") : reflected) : positive;
  return x == 0 ? -1 / x : value;
}
// The derivative of digamma. trigamma(x) = pi^2 / sin(pi x)^2 - trigamma(1 - x) for negative x.
CHAINER_FORMULA float trigamma(float x) {
  const bool negative = x < 0;
  const Raised<2> raised(negative ? 1 - x : x);
  const float v = 1 / raised.y, u = v * v;
  const float series = v + u * (0.5f + v * (1.f / 6 - u * (1.f / 30 - u / 42)));
  const float positive = series + raised.sum();
  const float r = x - m::rint(x), circle = kPi / m::sin(kPi * r);
  return negative ? circle * circle - positive : positive;
}

}  // namespace float_special
}  // namespace m
}  // namespace
