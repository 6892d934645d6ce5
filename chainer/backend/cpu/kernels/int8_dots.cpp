// SPDX-License-Identifier: MIT
// Products of numbers of eight bits by AVX512-VNNI: an instruction multiplies four elements of a row by four of each of
// 16 columns and adds the products to the sums. The sums of some rows and up to four panels stay in registers. In
// convolutions with a filter for each channel the four elements are taps.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // in GCC's own header
#endif
#include <immintrin.h>

#include <cstring>

#include "chainer/backend/cpu/kernels/int8_table.h"

namespace {

using chainer::cpu::Int8Bytes;
using chainer::cpu::Int8Depthwise64;
using chainer::cpu::Int8Product;

// What becomes of 64 sums: the results of Rounding in int8.cpp.
struct Results {
  template <class T>
  Results(const T& t, const float* scale, int64_t n)
      : inside(n >= 64 ? ~__mmask64{0} : (__mmask64{1} << n) - 1),
        scale(scale),
        lowest(_mm512_set1_ps(t.low - t.zero)),
        highest(_mm512_set1_ps(t.high - t.zero)),
        zero(_mm512_set1_epi16(static_cast<int16_t>(t.zero))) {}
  // Returns bytes in lanes: lane i has four of each vector.
  [[gnu::always_inline]] __m512i bytes(const __m512i* sum) const {
    __m512i whole[4];
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) {
      const __m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(sum[u]), _mm512_loadu_ps(scale + 16 * u));
      whole[u] = _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(v, lowest), highest));
    }
    const auto two = [&](int u) __attribute__((always_inline)) {
      return _mm512_and_si512(_mm512_add_epi16(_mm512_packs_epi32(whole[u], whole[u + 1]), zero),
                              _mm512_set1_epi16(0xff));
    };
    return _mm512_packus_epi16(two(0), two(2));
  }
  [[gnu::always_inline]] void write(__m512i v, uint8_t* out) const { _mm512_mask_storeu_epi8(out, inside, v); }
  __mmask64 inside;
  const float* scale;
  __m512 lowest, highest;
  __m512i zero;
};

// Writes the bytes of rows of sums, whose distance is 64.
template <int panels>
[[gnu::noinline]] void write_bytes(const int32_t* sums, int rows, int64_t row, int64_t panel, const Int8Bytes& bytes) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  alignas(64) float scale[64] = {};
  std::memcpy(scale, bytes.scale + panel * 16, panels * 64);
  const int64_t columns = panels * 16, left = bytes.n - panel * 16;
  const Results results(bytes, scale, left < columns ? left : columns);
  for (int i = 0; i < rows; ++i, sums += 64) {
    __m512i four[4] = {};
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) four[v] = _mm512_load_si512(sums + v * 16);
    results.write(_mm512_permutexvar_epi32(order, results.bytes(four)),
                  bytes.out + (row + i) * bytes.out_row + panel * 16);
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

struct Four {  // of 64 channels
  __m512i v[4];
};
// The taps of a channel become neighbours, in lanes of 16 channels.
[[gnu::always_inline]] inline Four fours_of(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i low[2] = {_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d)},
                high[2] = {_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d)};
  return {{_mm512_unpacklo_epi16(low[0], low[1]), _mm512_unpackhi_epi16(low[0], low[1]),
           _mm512_unpacklo_epi16(high[0], high[1]), _mm512_unpackhi_epi16(high[0], high[1])}};
}
[[gnu::always_inline]] inline Four loaded(const void* from) {
  const auto* const p = static_cast<const int32_t*>(from);
  return {{_mm512_loadu_si512(p), _mm512_loadu_si512(p + 16), _mm512_loadu_si512(p + 32), _mm512_loadu_si512(p + 48)}};
}
[[gnu::always_inline]] inline Four add_products(const Four& sum, const Four& x, const int8_t* w) {
  const Four y = loaded(w);
  Four out;
  for (int u = 0; u < 4; ++u) out.v[u] = _mm512_dpbusd_epi32(sum.v[u], x.v[u], y.v[u]);
  return out;
}
template <bool flip>
[[gnu::always_inline]] inline __m512i pixel(const uint8_t* from, __mmask64 inside) {
  const __m512i x = _mm512_maskz_loadu_epi8(inside, from);
  return flip ? _mm512_xor_si512(x, _mm512_set1_epi8(static_cast<char>(0x80))) : x;
}

template <bool flip>
void at_pixel(const Int8Depthwise64& d, const uint8_t* const* taps, int64_t fours, uint8_t* out) {
  const Results results(d, d.scale, d.n);
  Four sum = loaded(d.offset);
  for (int64_t q = 0; q < fours; ++q, taps += 4) {
    const auto x = [&](int t) { return pixel<flip>(taps[t] + d.first, results.inside); };
    sum = add_products(sum, fours_of(x(0), x(1), x(2), x(3)), d.weights + q * 256);
  }
  results.write(results.bytes(sum.v), out);
}

// Each column of the image is prepared once, and added to all results under whose windows it lies.
template <bool flip, int stride>
void along(const Int8Depthwise64& d, const chainer::cpu::Int8Line& line) {
  const Results results(d, d.scale, d.n);
  const auto column = [&](int64_t x) __attribute__((always_inline)) {
    const bool outside = x < 0 || x >= line.width;
    const auto tap = [&](int t) __attribute__((always_inline)) {
      return pixel<flip>((outside ? line.zeros : line.rows[t] + x * line.pixel) + d.first, results.inside);
    };
    return fours_of(tap(0), tap(1), tap(2), tap(3));
  };
  const Four offset = loaded(d.offset);
  const int8_t *const first = d.weights, *const second = first + 256, *const third = second + 256;
  int64_t x = line.left;
  uint8_t* out = line.out + d.first;
  Four sum = add_products(offset, column(x++), first);
  if (stride == 1) {
    Four x1 = column(x++), next = add_products(offset, x1, first);
    sum = add_products(sum, x1, second);
    for (int64_t i = 0; i < line.count; ++i, out += line.pixel) {
      const Four last = column(x++);
      results.write(results.bytes(add_products(sum, last, third).v), out);
      sum = add_products(next, last, second);
      next = add_products(offset, last, first);
    }
  } else {
    for (int64_t i = 0; i < line.count; ++i, out += line.pixel) {
      sum = add_products(sum, column(x++), second);
      const Four last = column(x++);
      results.write(results.bytes(add_products(sum, last, third).v), out);
      sum = add_products(offset, last, first);
    }
  }
}

}  // namespace

void chainer::cpu::dots::int8_product(const Int8Product& p) { multiply<false>(p, nullptr); }
void chainer::cpu::dots::int8_product_to_bytes(const Int8Product& p, const Int8Bytes& bytes) {
  multiply<true>(p, &bytes);
}
void chainer::cpu::dots::int8_depthwise(const Int8Depthwise64& d, const uint8_t* const* taps, int64_t fours,
                                        uint8_t* out) {
  d.flip ? at_pixel<true>(d, taps, fours, out) : at_pixel<false>(d, taps, fours, out);
}
void chainer::cpu::dots::int8_depthwise_line(const Int8Depthwise64& d, const Int8Line& line) {
  if (line.stride == 1)
    d.flip ? along<true, 1>(d, line) : along<false, 1>(d, line);
  else
    d.flip ? along<true, 2>(d, line) : along<false, 2>(d, line);
}
