// SPDX-License-Identifier: MIT
// Products of numbers of eight bits by AVX512-VNNI: an instruction multiplies four elements of a row by four of each of
// 16 columns and adds the products to the sums. The sums of some rows and two panels stay in registers.
#include <immintrin.h>

#include <cstring>

#include "chainer/backend/cpu/kernels/int8_table.h"

namespace {

using chainer::cpu::Int8Product;

template <int rows, int panels>
void block(const Int8Product& p, const uint8_t* a, const int8_t* b, int32_t* out) {
  __m512i sum[rows][panels];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) sum[i][v] = _mm512_setzero_si512();
  for (int64_t l = 0; l < 64 * p.steps; l += 4, b += 64) {
    __m512i columns[panels];
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) columns[v] = _mm512_loadu_si512(b + v * p.b_panel);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      int four;
      std::memcpy(&four, a + i * p.a_row + l, sizeof four);
      const __m512i row = _mm512_set1_epi32(four);
#pragma GCC unroll 4
      for (int v = 0; v < panels; ++v) sum[i][v] = _mm512_dpbusd_epi32(sum[i][v], row, columns[v]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) _mm512_storeu_si512(out + i * p.sums_row + v * 16, sum[i][v]);
}

template <int panels>
void rows_of(const Int8Product& p, const int8_t* b, int32_t* out) {
  constexpr int kMost = panels == 4 ? 6 : 8;
  int64_t r = 0;
  for (; r + kMost <= p.rows; r += kMost) block<kMost, panels>(p, p.a + r * p.a_row, b, out + r * p.sums_row);
  for (; r + 2 <= p.rows; r += 2) block<2, panels>(p, p.a + r * p.a_row, b, out + r * p.sums_row);
  for (; r < p.rows; ++r) block<1, panels>(p, p.a + r * p.a_row, b, out + r * p.sums_row);
}

}  // namespace

void chainer::cpu::dots::int8_product(const Int8Product& p) {
  int64_t i = 0;
  for (; i + 4 <= p.panels; i += 4) rows_of<4>(p, p.b + i * p.b_panel, p.sums + i * 16);
  for (; i < p.panels; ++i) rows_of<1>(p, p.b + i * p.b_panel, p.sums + i * 16);
}
