// SPDX-License-Identifier: MIT
// Transposition of a square in vector registers.
#pragma once
#include <utility>

namespace chainer::cpu {
namespace {

// For two registers whose numbers differ in one bit: exchanges this bit with the same bit of the lane numbers.
template <int bit, class V, int... lane>
[[gnu::always_inline]] inline void exchange(V& a, V& b, std::integer_sequence<int, lane...>) {
  constexpr int lanes = sizeof...(lane);
  const V low = __builtin_shufflevector(a, b, (lane & bit ? lanes + (lane ^ bit) : lane)...);
  b = __builtin_shufflevector(a, b, (lane & bit ? lanes + lane : lane ^ bit)...);
  a = low;
}
// Transposes a square in registers, bit by bit (Eklundh, "A fast computer method for matrix transposing", 1972).
template <int bit, class V, int lanes>
[[gnu::always_inline]] inline void turn(V (&v)[lanes]) {
#pragma GCC unroll 32
  for (int i = 0; i < lanes; ++i)
    if (!(i & bit)) exchange<bit>(v[i], v[i + bit], std::make_integer_sequence<int, lanes>());
  if constexpr (bit > 1) turn<bit / 2>(v);
}

}  // namespace
}  // namespace chainer::cpu
