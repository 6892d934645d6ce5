// SPDX-License-Identifier: MIT
// Convolutions with a filter for each channel by AVX512-VNNI: an instruction multiplies four taps of each of 16
// channels and adds the products to the sums.
#include "chainer/backend/cpu/kernels/int8_bytes.h"
#include "chainer/backend/cpu/kernels/int8_table.h"

namespace {

using chainer::cpu::Int8Depthwise64;

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
// What becomes of the sums of a pixel.
struct Results {
  explicit Results(const Int8Depthwise64& d) : inside(first_bytes(d.n)), scale(d.scale), bytes(d.zero, d.low, d.high) {}
  [[gnu::always_inline]] void write(const Four& sum, uint8_t* out) const {
    const auto value = [&](int u) __attribute__((always_inline)) {
      return _mm512_mul_ps(_mm512_cvtepi32_ps(sum.v[u]), _mm512_loadu_ps(scale + 16 * u));
    };
    _mm512_mask_storeu_epi8(out, inside, bytes.in_lanes(value(0), value(1), value(2), value(3)));
  }
  __mmask64 inside;
  const float* scale;
  Bytes64 bytes;
};

template <bool flip>
[[gnu::always_inline]] inline __m512i pixel(const uint8_t* from, __mmask64 inside) {
  const __m512i x = _mm512_maskz_loadu_epi8(inside, from);
  return flip ? _mm512_xor_si512(x, _mm512_set1_epi8(static_cast<char>(0x80))) : x;
}

template <bool flip>
void at_pixel(const Int8Depthwise64& d, const uint8_t* const* taps, int64_t fours, uint8_t* out) {
  const Results results(d);
  Four sum = loaded(d.offset);
  for (int64_t q = 0; q < fours; ++q, taps += 4) {
    const auto x = [&](int t) { return pixel<flip>(taps[t] + d.first, results.inside); };
    sum = add_products(sum, fours_of(x(0), x(1), x(2), x(3)), d.weights + q * 256);
  }
  results.write(sum, out);
}

// Each column of the image is prepared once, and added to all results under whose windows it lies.
template <bool flip, int stride>
void along(const Int8Depthwise64& d, const chainer::cpu::Int8Line& line) {
  const Results results(d);
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
      results.write(add_products(sum, last, third), out);
      sum = add_products(next, last, second);
      next = add_products(offset, last, first);
    }
  } else {
    for (int64_t i = 0; i < line.count; ++i, out += line.pixel) {
      sum = add_products(sum, column(x++), second);
      const Four last = column(x++);
      results.write(add_products(sum, last, third), out);
      sum = add_products(offset, last, first);
    }
  }
}

}  // namespace

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
