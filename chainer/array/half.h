// SPDX-License-Identifier: MIT
// 16-bit floating types. Storage only: arithmetic is done in float.
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>

namespace chainer {

namespace detail {
[[gnu::always_inline]] inline float half_to_float(uint16_t h) {
  const uint32_t sign = uint32_t(h & 0x8000u) << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00u)  // a NaN becomes quiet, as processors make it
    return std::bit_cast<float>(sign | 0x7f800000u | (rest > 0x7c00u ? 0x400000u : 0u) | (rest & 0x3ffu) << 13);
  if (rest >= 0x0400u) return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000u));
  const float magnitude = static_cast<float>(rest) * 0x1p-24f;  // zero and subnormals, exact
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}
[[gnu::always_inline]] inline uint16_t float_to_half(float f) {
  const uint32_t u = std::bit_cast<uint32_t>(f), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to infinity
  if (a < 0x38800000u) {  // subnormal: the addition rounds to nearest even at 2^-24
    const float shifted = std::bit_cast<float>(a) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = a + 0xfffu + ((a >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}
/// Returns a float that rounds to 16 bits as d does: rounding d to the nearest float first could make a tie of what is
/// none. Numbers between two floats become the odd one of them.
[[gnu::always_inline]] inline float double_to_odd(double d) {
  const float f = static_cast<float>(d);
  const double back = f;
  if (back == d || d != d) return f;
  uint32_t u = std::bit_cast<uint32_t>(f);
  if ((d < 0 ? -back : back) > (d < 0 ? -d : d)) --u;
  return std::bit_cast<float>(u | 1u);
}
[[gnu::always_inline]] inline float bfloat_to_float(uint16_t b) { return std::bit_cast<float>(uint32_t(b) << 16); }
[[gnu::always_inline]] inline uint16_t float_to_bfloat(float f) {
  const uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
  return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
}  // namespace detail

/// IEEE 754 binary16.
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  Float16(float f) : bits(detail::float_to_half(f)) {}
  Float16(std::same_as<double> auto d) : Float16(detail::double_to_odd(d)) {}
  operator float() const { return detail::half_to_float(bits); }
};
/// bfloat16: the upper half of a float.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  BFloat16(float f) : bits(detail::float_to_bfloat(f)) {}
  BFloat16(std::same_as<double> auto d) : BFloat16(detail::double_to_odd(d)) {}
  operator float() const { return detail::bfloat_to_float(bits); }
};

}  // namespace chainer
