// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices by AVX512-BF16: an instruction multiplies a pair of elements of a row by the pairs of
// 16 columns and adds both products to the sums. The sums of eight rows and a panel stay in registers.
#include <immintrin.h>

#include <cstring>

#include "chainer/backend/cpu/kernels/bfloat_table.h"

namespace {

using chainer::cpu::BfloatProduct;

constexpr int kRows = 8, kPairs = 16;

template <int vectors>
void block(const BfloatProduct& p, const uint16_t* rows, const uint16_t* b, float* sums) {
  __m512 sum[kRows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      sum[i][v] = p.start ? _mm512_setzero_ps() : _mm512_loadu_ps(sums + i * p.sums_row + v * 16);
  const int64_t blocks = p.segments * p.steps;
  for (int64_t block = 0; block < blocks; ++block) {
    const uint16_t* const a = rows + p.offsets[block / p.steps] + block % p.steps * p.a_step;
    const int64_t pairs = block + 1 < blocks ? kPairs : (p.last + 1) / 2;
    for (int64_t l = 0; l < pairs; ++l, b += 64) {
      __m512i columns[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) columns[v] = _mm512_loadu_si512(b + v * 32);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        int pair;
        std::memcpy(&pair, a + i * p.a_row + 2 * l, sizeof pair);
        const __m512i row = _mm512_set1_epi32(pair);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v)
          sum[i][v] =
              _mm512_dpbf16_ps(sum[i][v], reinterpret_cast<__m512bh>(row), reinterpret_cast<__m512bh>(columns[v]));
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) _mm512_storeu_ps(sums + i * p.sums_row + v * 16, sum[i][v]);
}

}  // namespace

void chainer::cpu::dots::product(const BfloatProduct& p) {
  for (int64_t i = 0; i < p.panels; ++i)
    for (int64_t row = 0; row < (p.few_rows ? 16 : 32); row += kRows) {
      float* const sums = p.sums + row * p.sums_row + i * kBfloatColumns;
      const uint16_t *const a = p.a + row * p.a_row, *const b = p.b + i * p.b_panel;
      p.narrow&& i + 1 == p.panels ? block<1>(p, a, b, sums) : block<2>(p, a, b, sums);
    }
}

void chainer::cpu::dots::pack(uint16_t* to, int64_t panel, const uint16_t* b, int64_t step, int64_t rows,
                              int64_t columns) {
  alignas(64) uint16_t order[64];
  for (int i = 0; i < 64; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
  const __m512i low = _mm512_load_si512(order), high = _mm512_load_si512(order + 32);
  const int64_t padded = (rows + kBfloatInner - 1) / kBfloatInner * kBfloatInner;
  for (int64_t l = 0; l < padded; l += 2, to += 64)
    for (int64_t j = 0; j < columns; j += kBfloatColumns) {
      const __mmask32 used = columns - j >= 32 ? ~__mmask32(0) : (__mmask32(1) << (columns - j)) - 1;
      const __m512i even = _mm512_maskz_loadu_epi16(l < rows ? used : 0, b + l * step + j);
      const __m512i odd = _mm512_maskz_loadu_epi16(l + 1 < rows ? used : 0, b + (l + 1) * step + j);
      uint16_t* const pairs = to + j / kBfloatColumns * panel;
      _mm512_storeu_si512(pairs, _mm512_permutex2var_epi16(even, low, odd));
      _mm512_storeu_si512(pairs + 32, _mm512_permutex2var_epi16(even, high, odd));
    }
}

void chainer::cpu::dots::round(uint16_t* to, const float* from, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) {
    const __mmask16 used = n - i >= 16 ? __mmask16(0xffff) : static_cast<__mmask16>((1 << (n - i)) - 1);
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(used, from + i));
    _mm256_mask_storeu_epi16(to + i, used, reinterpret_cast<__m256i>(rounded));
  }
}
