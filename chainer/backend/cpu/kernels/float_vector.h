// SPDX-License-Identifier: MIT
// A vector register of floats, for sources that are compiled once per instruction set; its width depends on the set.
#pragma once
#include <cstdint>
#include <cstring>

namespace {

constexpr int64_t kBytes = __BIGGEST_ALIGNMENT__ >= 16 ? __BIGGEST_ALIGNMENT__ : 16;
constexpr int64_t kLanes = kBytes / 4;
typedef float Vector __attribute__((vector_size(kBytes)));

[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

}  // namespace
