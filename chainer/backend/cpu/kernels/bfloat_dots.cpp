// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices by AVX512-BF16: an instruction multiplies a pair of elements of a row by the pairs of
// 16 columns and adds both products to the sums. The sums of eight rows and a panel stay in registers.
#include <immintrin.h>

#include <cstring>

#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/turn.h"

namespace {

using chainer::cpu::BfloatProduct, chainer::cpu::BfloatThinProduct;

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

__mmask32 first_of_32(int64_t n) { return n >= 32 ? ~__mmask32(0) : (__mmask32(1) << n) - 1; }

constexpr int64_t kAhead = 64;

typedef int Pairs __attribute__((vector_size(64)));

// Loads `inner` elements of each of 16 columns with consecutive elements: pairs[l] is (b(2 l, j), b(2 l + 1, j)) for
// each column j. Hardware does not follow so many columns: the next elements are prefetched.
void load_columns(const uint16_t* b, int64_t step, int64_t columns, __mmask32 inner, Pairs (&pairs)[16]) {
#pragma GCC unroll 16
  for (int j = 0; j < 16; ++j) {
    pairs[j] = reinterpret_cast<Pairs>(_mm512_maskz_loadu_epi16(j < columns ? inner : 0, b + j * step));
    __builtin_prefetch(b + j * step + kAhead, 0, 2);
  }
  chainer::cpu::turn<8>(pairs);
}

// Two rows of 32 columns, or one row and zeros.
struct Order {
  __m512i low, high;
  Order() {
    alignas(64) uint16_t order[64];
    for (int i = 0; i < 64; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
    low = _mm512_load_si512(order), high = _mm512_load_si512(order + 32);
  }
};

// The rows of a times 32 columns or less.
template <int rows>
void thin_block(const BfloatThinProduct& p, const Order& order, const uint16_t* b, int64_t columns, float* sums) {
  constexpr int kVectors = 2;
  __m512 sum[rows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sum[i][v] = _mm512_setzero_ps();
  const __mmask32 used = first_of_32(columns);
  const auto add = [&](int64_t l, const Pairs* pairs) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      int word;
      std::memcpy(&word, p.a + i * p.a_row + l, sizeof word);
      const __m512i row = _mm512_set1_epi32(word);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v)
        sum[i][v] = _mm512_dpbf16_ps(sum[i][v], reinterpret_cast<__m512bh>(row), reinterpret_cast<__m512bh>(pairs[v]));
    }
  };
  if (p.b_transposed) {
    for (int64_t l = 0; l < p.k; l += 32) {
      Pairs pairs[kVectors][16];
      for (int v = 0; v < kVectors; ++v)
        load_columns(b + v * 16 * p.b_step + l, p.b_step, columns - v * 16, first_of_32(p.k - l), pairs[v]);
      for (int64_t i = 0; i < 16 && l + 2 * i < p.k; ++i) {
        const Pairs both[] = {pairs[0][i], pairs[1][i]};
        add(l + 2 * i, both);
      }
    }
  } else {
    for (int64_t l = 0; l < p.k; l += 2) {
      const __m512i even = _mm512_maskz_loadu_epi16(used, b + l * p.b_step),
                    odd = _mm512_maskz_loadu_epi16(l + 1 < p.k ? used : 0, b + (l + 1) * p.b_step);
      const Pairs both[] = {reinterpret_cast<Pairs>(_mm512_permutex2var_epi16(even, order.low, odd)),
                            reinterpret_cast<Pairs>(_mm512_permutex2var_epi16(even, order.high, odd))};
      add(l, both);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) _mm512_storeu_ps(sums + i * p.sums_row + v * 16, sum[i][v]);
}

template <int rows>
void thin_rows(const BfloatThinProduct& p, int64_t columns) {
  const Order order;
  for (int64_t j = 0; j < columns; j += 32)
    thin_block<rows>(p, order, p.b + (p.b_transposed ? j * p.b_step : j), columns - j, p.sums + j);
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

void chainer::cpu::dots::thin_product(const BfloatThinProduct& p, int64_t columns) {
  switch (p.rows) {
    case 1: return thin_rows<1>(p, columns);
    case 2: return thin_rows<2>(p, columns);
    case 3: return thin_rows<3>(p, columns);
    case 4: return thin_rows<4>(p, columns);
    case 5: return thin_rows<5>(p, columns);
    case 6: return thin_rows<6>(p, columns);
    case 7: return thin_rows<7>(p, columns);
    default: return thin_rows<8>(p, columns);
  }
}

void chainer::cpu::dots::pack(uint16_t* to, int64_t panel, const uint16_t* b, int64_t step, int64_t rows,
                              int64_t columns) {
  const Order order;
  const int64_t padded = (rows + kBfloatInner - 1) / kBfloatInner * kBfloatInner;
  for (int64_t l = 0; l < padded; l += 2, to += 64)
    for (int64_t j = 0; j < columns; j += kBfloatColumns) {
      const __mmask32 used = first_of_32(columns - j);
      const __m512i even = _mm512_maskz_loadu_epi16(l < rows ? used : 0, b + l * step + j);
      const __m512i odd = _mm512_maskz_loadu_epi16(l + 1 < rows ? used : 0, b + (l + 1) * step + j);
      uint16_t* const pairs = to + j / kBfloatColumns * panel;
      _mm512_storeu_si512(pairs, _mm512_permutex2var_epi16(even, order.low, odd));
      _mm512_storeu_si512(pairs + 32, _mm512_permutex2var_epi16(even, order.high, odd));
    }
}

// (Stores through a mask are slow on some processors, also of all elements.)
void chainer::cpu::dots::round(uint16_t* to, const float* from, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_loadu_ps(from + i));
    std::memcpy(to + i, &rounded, sizeof rounded);
  }
  if (i == n) return;
  const auto used = static_cast<__mmask16>((1 << (n - i)) - 1);
  const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(used, from + i));
  std::memcpy(to + i, &rounded, static_cast<std::size_t>(n - i) * sizeof(*to));
}
