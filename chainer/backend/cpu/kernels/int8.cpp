// SPDX-License-Identifier: MIT
// Loops over numbers of eight bits. Compiled once per instruction set. The product multiplies pairs of 16 bits, whose
// sums are exact (an instruction for pairs of 8 bits would saturate).
#include "chainer/backend/cpu/kernels/int8_table.h"

#include "chainer/backend/cpu/kernels/float_vector.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using chainer::cpu::Int8Product;
using chainer::cpu::Int8Results;
using chainer::cpu::Int8Sum;

typedef int16_t Pairs __attribute__((vector_size(kBytes)));
typedef int32_t Sums __attribute__((vector_size(kBytes)));

// The sum of both products of each pair.
[[gnu::always_inline]] inline Sums of_pairs(Pairs a, Pairs b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Sums>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Sums>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Sums>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  const Sums x = reinterpret_cast<Sums>(a), y = reinterpret_cast<Sums>(b);
  return ((x << 16) >> 16) * ((y << 16) >> 16) + (x >> 16) * (y >> 16);
#endif
}

// Rows [row, row + rows) of one panel, a vector of its columns at a time.
template <int rows>
void block(const Int8Product& p, const uint8_t* a, const int8_t* panel, int32_t* out) {
  for (int64_t part = 0; part < 64; part += kBytes) {
    Sums sum[rows] = {};
    const int8_t* b = panel + part;
    for (int64_t l = 0; l < 64 * p.steps; l += 4, b += 64) {
      Pairs all;
      std::memcpy(&all, b, sizeof all);
      const Pairs even = static_cast<Pairs>(all << 8) >> 8, odd = all >> 8;
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        uint32_t four;
        std::memcpy(&four, a + i * p.a_row + l, sizeof four);
        const Sums first = Sums{} + static_cast<int32_t>(four & 0x00ff00ff),
                   second = Sums{} + static_cast<int32_t>(four >> 8 & 0x00ff00ff);
        sum[i] += of_pairs(reinterpret_cast<Pairs>(first), even) + of_pairs(reinterpret_cast<Pairs>(second), odd);
      }
    }
    for (int i = 0; i < rows; ++i) std::memcpy(out + i * p.sums_row + part / 4, &sum[i], sizeof sum[i]);
  }
}

void product(const Int8Product& p) {
  for (int64_t panel = 0; panel < p.panels; ++panel) {
    const int8_t* const b = p.b + panel * p.b_panel;
    int32_t* const out = p.sums + panel * chainer::cpu::kInt8Columns;
    int64_t r = 0;
    for (; r + 4 <= p.rows; r += 4) block<4>(p, p.a + r * p.a_row, b, out + r * p.sums_row);
    for (; r < p.rows; ++r) block<1>(p, p.a + r * p.a_row, b, out + r * p.sums_row);
  }
}

// The nearest integer, half to even, of a number below 2^22.
[[gnu::always_inline]] inline float rounded(float v) {
  constexpr float kShift = 12582912;  // 1.5 * 2^23
  return (v + kShift) - kShift;
}
[[gnu::always_inline]] inline float limited(float v, float low, float high) {
  const float least = v > low ? v : low;  // NaN gives low
  return least < high ? least : high;
}
[[gnu::always_inline]] inline uint8_t byte_of(float v, float zero, float low, float high) {
  return static_cast<uint8_t>(static_cast<int32_t>(rounded(limited(v, low - zero, high - zero)) + zero));
}

void to_bytes(const Int8Results& r, uint8_t* out) {
  const float zero = r.zero, low = r.low, high = r.high;
  for (int64_t j = 0; j < r.n; ++j)
    out[j] = byte_of(static_cast<float>(
                         static_cast<int32_t>(static_cast<uint32_t>(r.sums[j]) + static_cast<uint32_t>(r.offset[j]))) *
                         r.scale[j],
                     zero, low, high);
}
void to_floats(const Int8Results& r, float* out) {
  const float low = r.low, high = r.high;
  for (int64_t j = 0; j < r.n; ++j)
    out[j] = limited(static_cast<float>(
                         static_cast<int32_t>(static_cast<uint32_t>(r.sums[j]) + static_cast<uint32_t>(r.offset[j]))) *
                         r.scale[j],
                     low, high);
}
void quantize(const float* x, float scale, float zero, float low, float high, uint8_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = byte_of(x[i] / scale, zero, low, high);
}

template <bool a_is_signed, bool b_is_signed>
void sum_of(const Int8Sum& s, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n) {
  // (Copies, since `out` may alias the numbers.)
  const float a_zero = s.a_zero, a_scale = s.a_scale, b_zero = s.b_zero, b_scale = s.b_scale, scale = s.scale,
              zero = s.zero, low = s.low, high = s.high;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t x = a_is_signed ? static_cast<int8_t>(a[i]) : a[i],
                  y = b_is_signed ? static_cast<int8_t>(b[i]) : b[i];
    const float u = (static_cast<float>(x) - a_zero) * a_scale, v = (static_cast<float>(y) - b_zero) * b_scale;
    out[i] = byte_of((u + v) / scale, zero, low, high);
  }
}
void add(const Int8Sum& s, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n) {
  if (s.a_is_signed)
    s.b_is_signed ? sum_of<true, true>(s, a, b, out, n) : sum_of<true, false>(s, a, b, out, n);
  else
    s.b_is_signed ? sum_of<false, true>(s, a, b, out, n) : sum_of<false, false>(s, a, b, out, n);
}

template <class T>
void larger(uint8_t* out, const uint8_t* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) out[j] = static_cast<T>(x[j]) > static_cast<T>(out[j]) ? x[j] : out[j];
}
template <class T>
void accumulate(int32_t* sums, const uint8_t* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) sums[j] += static_cast<T>(x[j]);
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_int8(Int8Loops& k) {
  k = {product,
       to_bytes,
       to_floats,
       quantize,
       add,
       {larger<uint8_t>, larger<int8_t>},
       {accumulate<uint8_t>, accumulate<int8_t>}};
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
