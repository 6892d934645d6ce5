// SPDX-License-Identifier: MIT
// Elements of any dtype and their positions, shared by kernels over strided operands.
#pragma once
#include "chainer/backend/cuda/kernels/dialect.h"
#ifndef __CUDACC__
#include "chainer/array/half.h"
#endif

namespace chainer::cuda {

/// The same values as chainer::Dtype.
enum class Type : uint8_t { bool_, int8, int16, int32, int64, uint8, float16, float32, float64, bfloat16 };

#ifdef __CUDACC__
DEVICE float half_to_float(uint16_t h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
DEVICE uint16_t float_to_half(float f) {
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
DEVICE float bfloat_to_float(uint16_t b) { return __uint_as_float(uint32_t(b) << 16); }
DEVICE uint16_t float_to_bfloat(float f) {
  const uint32_t u = __float_as_uint(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return uint16_t(u >> 16 | 0x40u);
  return uint16_t((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}
#else
using chainer::detail::bfloat_to_float, chainer::detail::float_to_bfloat;
using chainer::detail::float_to_half, chainer::detail::half_to_float;
#endif

/// Returns v as a To. Floating numbers become integers as on the host: 64 bits by truncation, or the least of them for
/// NaN and numbers that do not fit, of which smaller types keep the last bits. (Conversions of a device saturate.)
template <class To, class T>
DEVICE To converted(T v) {
  if constexpr (To(0.5) != To(0) || T(0.5) == T(0)) {
    return static_cast<To>(v);
  } else {
    const bool fits = v >= T(-0x1p63) && v < T(0x1p63);
    return static_cast<To>(fits ? static_cast<int64_t>(v) : static_cast<int64_t>(uint64_t(1) << 63));
  }
}

/// Returns the element at p, converted; true for any nonzero bool. The branch is uniform over all threads.
template <class T>
DEVICE T load(const char* p, Type type) {
  switch (type) {
    case Type::float32: return converted<T>(*reinterpret_cast<const float*>(p));
    case Type::float64: return converted<T>(*reinterpret_cast<const double*>(p));
    case Type::float16: return converted<T>(half_to_float(*reinterpret_cast<const uint16_t*>(p)));
    case Type::bfloat16: return converted<T>(bfloat_to_float(*reinterpret_cast<const uint16_t*>(p)));
    case Type::int64: return static_cast<T>(*reinterpret_cast<const int64_t*>(p));
    case Type::int32: return static_cast<T>(*reinterpret_cast<const int32_t*>(p));
    case Type::int16: return static_cast<T>(*reinterpret_cast<const int16_t*>(p));
    case Type::int8: return static_cast<T>(*reinterpret_cast<const int8_t*>(p));
    case Type::uint8: return static_cast<T>(*reinterpret_cast<const uint8_t*>(p));
    case Type::bool_: return static_cast<T>(*reinterpret_cast<const uint8_t*>(p) != 0);
  }
  return T();
}
template <class T>
DEVICE void store(char* p, Type type, T v) {
  switch (type) {
    case Type::float32: *reinterpret_cast<float*>(p) = static_cast<float>(v); break;
    case Type::float64: *reinterpret_cast<double*>(p) = static_cast<double>(v); break;
    case Type::float16: *reinterpret_cast<uint16_t*>(p) = float_to_half(static_cast<float>(v)); break;
    case Type::bfloat16: *reinterpret_cast<uint16_t*>(p) = float_to_bfloat(static_cast<float>(v)); break;
    case Type::int64: *reinterpret_cast<int64_t*>(p) = converted<int64_t>(v); break;
    case Type::int32: *reinterpret_cast<int32_t*>(p) = converted<int32_t>(v); break;
    case Type::int16: *reinterpret_cast<int16_t*>(p) = converted<int16_t>(v); break;
    case Type::int8: *reinterpret_cast<int8_t*>(p) = converted<int8_t>(v); break;
    case Type::uint8: *reinterpret_cast<uint8_t*>(p) = converted<uint8_t>(v); break;
    case Type::bool_: *reinterpret_cast<uint8_t*>(p) = v != T(0); break;
  }
}

/// Division of numbers below 2^31 by a number that is constant in a launch.
struct Divider {
  uint32_t divisor, factor, shift;
  DEVICE uint32_t quotient(uint32_t n) const { return (__umulhi(n, factor) + n) >> shift; }
};

constexpr int kAxes = 10;
/// The lengths of the axes that operands share, innermost first. `size` is below 2^31.
struct Space {
  Divider extent[kAxes];
  int ndim;
  uint32_t size;
};
/// An array over a space, with strides in bytes.
struct Operand {
  char* data;
  int64_t stride[kAxes];
  Type type;
};
/// Returns the offset of element i of the space in an operand, in bytes.
DEVICE int64_t offset(const Space& space, const Operand& o, uint32_t i) {
  int64_t at = 0;
  for (int d = 0; d < space.ndim; ++d) {
    const uint32_t q = space.extent[d].quotient(i);
    at += int64_t(i - q * space.extent[d].divisor) * o.stride[d];
    i = q;
  }
  return at;
}

}  // namespace chainer::cuda
