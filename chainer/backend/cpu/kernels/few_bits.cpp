// SPDX-License-Identifier: MIT
// Products with integers of few bits, which are converted to floats in registers. Compiled once per instruction set.
// Limit: reading the integers, or with 4 bits in the cache one and a half cycles for 16 of them.
#include "chainer/backend/cpu/kernels/few_bits_table.h"

#include "chainer/backend/cpu/kernels/float_vector.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using chainer::cpu::FewBitsProduct;

typedef int32_t Words __attribute__((vector_size(kBytes)));
constexpr int kVectors = static_cast<int>(64 / kBytes);  // of a panel

// Number i of each word, less 8.
[[gnu::always_inline]] inline Vector of_four_bits(Words w, int i) {
#if defined(__AVX512F__) && __BIGGEST_ALIGNMENT__ >= 64
  const Vector values = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  return reinterpret_cast<Vector>(
      _mm512_permutexvar_ps(reinterpret_cast<__m512i>(w >> 4 * i), reinterpret_cast<__m512>(values)));
#else
  return __builtin_convertvector(((w >> 4 * i) & 15) - 8, Vector);
#endif
}
[[gnu::always_inline]] inline Vector of_eight_bits(const uint8_t* b) {
#if defined(__AVX512F__) && __BIGGEST_ALIGNMENT__ >= 64
  return reinterpret_cast<Vector>(
      _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b)))));
#elif defined(__AVX2__) && __BIGGEST_ALIGNMENT__ == 32
  return reinterpret_cast<Vector>(
      _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(b)))));
#else
  Vector v;
  for (int j = 0; j < kLanes; ++j) v[j] = static_cast<float>(static_cast<int8_t>(b[j]));
  return v;
#endif
}

template <int bits, int rows, int panels>
void block(const FewBitsProduct& p, const float* x, int64_t panel, float* out) {
  constexpr int kAll = panels * kVectors;
  const int64_t size = p.inner * 2 * bits, groups = p.inner / p.group;  // bytes of a panel
  const uint8_t* b = p.b + panel * size;
  const float* scales = p.scales + panel * groups * 16;
  Vector sum[rows][kAll] = {};
  for (int64_t g = 0; g < groups; ++g, scales += 16) {
    Vector part[rows][kAll] = {};
    for (int64_t l = 0; l < p.group; l += 8, x += 8, b += 16 * bits) {
      if constexpr (bits == 4) {
        Words w[kAll];
#pragma GCC unroll 16
        for (int v = 0; v < kAll; ++v) {
          const uint8_t* const from = b + v / kVectors * size + v % kVectors * kBytes;
          std::memcpy(&w[v], from, sizeof w[v]);
          __builtin_prefetch(from + 1024);
        }
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i)
#pragma GCC unroll 16
          for (int v = 0; v < kAll; ++v) {
            const Vector q = of_four_bits(w[v], i);
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) part[r][v] += x[r * p.x_row + i] * q;
          }
      } else {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i)
#pragma GCC unroll 16
          for (int v = 0; v < kAll; ++v) {
            const uint8_t* const from = b + v / kVectors * size + i * 16 + v % kVectors * kLanes;
            if (i % 4 == 0) __builtin_prefetch(from + 1024);
            const Vector q = of_eight_bits(from);
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) part[r][v] += x[r * p.x_row + i] * q;
          }
      }
    }
#pragma GCC unroll 16
    for (int v = 0; v < kAll; ++v) {
      const Vector scale = load(scales + v / kVectors * groups * 16 + v % kVectors * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sum[r][v] += scale * part[r][v];
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < kAll; ++v) store(out + r * p.out_row + panel * 16 + v * kLanes, sum[r][v]);
}

template <int bits, int rows>
void rows_of(const FewBitsProduct& p, int64_t row) {
  // As many panels at a time as registers hold the sums of.
  constexpr int kMost = kVectors > 1 ? 1 : rows == 1 ? 4 : rows == 2 ? 2 : 1;
  const float* const x = p.x + row * p.x_row;
  float* const out = p.out + row * p.out_row;
  int64_t i = 0;
  for (; i + kMost <= p.panels; i += kMost) block<bits, rows, kMost>(p, x, i, out);
  for (; i < p.panels; ++i) block<bits, rows, 1>(p, x, i, out);
}

template <int bits>
void product(const FewBitsProduct& p) {
  int64_t r = 0;
  if (p.rows == 4) return rows_of<bits, 4>(p, 0);
  for (; r + 2 <= p.rows; r += 2) rows_of<bits, 2>(p, r);
  if (r < p.rows) rows_of<bits, 1>(p, r);
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_few_bits(FewBitsKernels& k) { k = {product<4>, product<8>}; }
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
