// SPDX-License-Identifier: MIT
// A vector register of floats, for sources that are compiled once per instruction set; its width depends on the set.
// Its elements in memory are floats, or bfloat16 as uint16_t, rounded as in half.h.
#pragma once
#include <cstdint>
#include <cstring>

#include "chainer/backend/cpu/kernels/register_bytes.h"

namespace {

constexpr int64_t kBytes = kRegisterBytes;
constexpr int64_t kLanes = kBytes / 4;
typedef float Vector __attribute__((vector_size(kBytes)));
typedef uint32_t VectorBits __attribute__((vector_size(kBytes)));
typedef uint16_t HalfVector __attribute__((vector_size(kBytes / 2)));

[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }
[[gnu::always_inline]] inline Vector load(const uint16_t* from) {
  HalfVector v;
  std::memcpy(&v, from, sizeof v);
  return reinterpret_cast<Vector>(__builtin_convertvector(v, VectorBits) << 16);
}
[[gnu::always_inline]] inline void store(uint16_t* to, Vector v) {
  const VectorBits u = reinterpret_cast<VectorBits>(v), high = u >> 16;
  const VectorBits rounded = (u + (0x7fff + (high & 1))) >> 16;
  const HalfVector bits = __builtin_convertvector(v != v ? high | 0x40 : rounded, HalfVector);
  std::memcpy(to, &bits, sizeof bits);
}

}  // namespace
