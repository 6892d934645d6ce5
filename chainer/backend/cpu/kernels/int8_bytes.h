// SPDX-License-Identifier: MIT
// How sums become bytes with AVX-512: the results of Rounding in int8.cpp, 64 at a time. Compiled once per instruction
// set.
#pragma once
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // in GCC's own header
#endif
#include <immintrin.h>

#include <cstdint>

namespace {

// A mask of the first n of 64 bytes.
[[gnu::always_inline]] inline __mmask64 first_bytes(int64_t n) {
  return n >= 64 ? ~__mmask64{0} : (__mmask64{1} << n) - 1;
}

struct Bytes64 {
  Bytes64(float zero_, float low, float high)
      : lowest(_mm512_set1_ps(low - zero_)),
        highest(_mm512_set1_ps(high - zero_)),
        zero(_mm512_set1_epi16(static_cast<int16_t>(zero_))) {}
  // Limits four vectors, rounds them half to even, and adds the zero. Lane i of the result has lane i of each vector.
  [[gnu::always_inline]] __m512i in_lanes(__m512 a, __m512 b, __m512 c, __m512 d) const {
    return _mm512_packus_epi16(two(a, b), two(c, d));
  }
  // The bytes of four consecutive vectors.
  [[gnu::always_inline]] __m512i in_order(__m512 a, __m512 b, __m512 c, __m512 d) const {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, in_lanes(a, b, c, d));
  }

 private:
  [[gnu::always_inline]] __m512i whole(__m512 v) const {
    return _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(v, lowest), highest));
  }
  [[gnu::always_inline]] __m512i two(__m512 a, __m512 b) const {
    return _mm512_and_si512(_mm512_add_epi16(_mm512_packs_epi32(whole(a), whole(b)), zero), _mm512_set1_epi16(0xff));
  }
  __m512 lowest, highest;
  __m512i zero;
};

}  // namespace
