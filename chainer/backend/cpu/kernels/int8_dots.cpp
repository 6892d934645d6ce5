// SPDX-License-Identifier: MIT
// Products of numbers of eight bits by AVX512-VNNI: an instruction multiplies four elements of a row by four of each of
// 16 columns and adds the products to the sums. The sums of some rows and up to four panels stay in registers.
#include <cstring>

#include "chainer/backend/cpu/kernels/int8_bytes.h"
#include "chainer/backend/cpu/kernels/int8_table.h"

namespace {

using chainer::cpu::Int8Bytes;
using chainer::cpu::Int8Product;

// Writes the bytes of rows of sums, whose distance is 64.
template <int panels>
[[gnu::noinline]] void write_bytes(const int32_t* sums, int rows, int64_t row, int64_t panel, const Int8Bytes& bytes) {
  alignas(64) float scale[64] = {};
  std::memcpy(scale, bytes.scale + panel * 16, panels * 64);
  const int64_t columns = panels * 16, left = bytes.n - panel * 16;
  const __mmask64 inside = first_bytes(left < columns ? left : columns);
  const Bytes64 rounded(bytes.zero, bytes.low, bytes.high);
  for (int i = 0; i < rows; ++i, sums += 64) {
    __m512 four[4] = {};
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v)
      four[v] = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(sums + v * 16)), _mm512_load_ps(scale + v * 16));
    _mm512_mask_storeu_epi8(bytes.out + (row + i) * bytes.out_row + panel * 16, inside,
                            rounded.in_order(four[0], four[1], four[2], four[3]));
  }
}

// With `bytes` sums begin with the offset, and results are written instead of sums.
template <int rows, int panels, bool to_bytes>
void block(const Int8Product& p, int64_t row, int64_t panel, const Int8Bytes* bytes) {
  const uint8_t* const a = p.a + row * p.a_row;
  const int8_t* b = p.b + panel * p.b_panel;
  __m512i sum[rows][panels];
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v)
      sum[i][v] = to_bytes ? _mm512_loadu_si512(bytes->offset + (panel + v) * 16) : _mm512_setzero_si512();
  for (int64_t l = 0; l < p.inner; l += 4, b += 64) {
    __m512i columns[panels];
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) columns[v] = _mm512_loadu_si512(b + v * p.b_panel);
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i) {
      int four;
      std::memcpy(&four, a + i * p.a_row + l, sizeof four);
      const __m512i all = _mm512_set1_epi32(four);
#pragma GCC unroll 4
      for (int v = 0; v < panels; ++v) sum[i][v] = _mm512_dpbusd_epi32(sum[i][v], all, columns[v]);
    }
  }
  // (GCC spills sums in the loop above if the same function goes on with them in registers.)
  alignas(64) int32_t local[to_bytes ? rows * 64 : 1];
  int32_t* const sums = to_bytes ? local : p.sums + row * p.sums_row + panel * 16;
  const int64_t step = to_bytes ? 64 : p.sums_row;
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) _mm512_storeu_si512(sums + i * step + v * 16, sum[i][v]);
  if constexpr (to_bytes) write_bytes<panels>(local, rows, row, panel, *bytes);
}

template <int panels, bool to_bytes>
void rows_of(const Int8Product& p, int64_t panel, const Int8Bytes* bytes) {
  constexpr int kMost = panels == 4 ? 6 : panels == 3 ? 8 : 12;
  int64_t r = 0;
  for (; r + kMost <= p.rows; r += kMost) block<kMost, panels, to_bytes>(p, r, panel, bytes);
  for (; r + 2 <= p.rows; r += 2) block<2, panels, to_bytes>(p, r, panel, bytes);
  for (; r < p.rows; ++r) block<1, panels, to_bytes>(p, r, panel, bytes);
}

template <bool to_bytes>
void multiply(const Int8Product& p, const Int8Bytes* bytes) {
  int64_t i = 0;
  for (; i + 4 <= p.panels; i += 4) rows_of<4, to_bytes>(p, i, bytes);
  if (p.panels - i == 3) rows_of<3, to_bytes>(p, i, bytes);
  if (p.panels - i == 2) rows_of<2, to_bytes>(p, i, bytes);
  if (p.panels - i == 1) rows_of<1, to_bytes>(p, i, bytes);
}

}  // namespace

void chainer::cpu::dots::int8_product(const Int8Product& p) { multiply<false>(p, nullptr); }
void chainer::cpu::dots::int8_product_to_bytes(const Int8Product& p, const Int8Bytes& bytes) {
  multiply<true>(p, &bytes);
}
