// SPDX-License-Identifier: MIT
// Loops over numbers of eight bits. Compiled once per instruction set. The product multiplies pairs of 16 bits, whose
// sums are exact (an instruction for pairs of 8 bits would saturate). The width of vectors is that of
// float_vector.h, which is not that of the instruction set with every compiler.
#include "chainer/backend/cpu/kernels/int8_table.h"

#include "chainer/backend/cpu/kernels/float_vector.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__AVX512BW__)
#include "chainer/backend/cpu/kernels/int8_bytes.h"
#endif

namespace {

using chainer::cpu::Int8Pair;
using chainer::cpu::Int8Product;
using chainer::cpu::Int8Results;

typedef int16_t Pairs __attribute__((vector_size(kBytes)));
typedef int32_t Sums __attribute__((vector_size(kBytes)));

// The sum of both products of each pair.
[[gnu::always_inline]] inline Sums of_pairs(Pairs a, Pairs b) {
#if defined(__AVX512BW__) && __BIGGEST_ALIGNMENT__ >= 64
  return reinterpret_cast<Sums>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__) && __BIGGEST_ALIGNMENT__ == 32
  return reinterpret_cast<Sums>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__) && __BIGGEST_ALIGNMENT__ <= 16
  return reinterpret_cast<Sums>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  const Sums x = reinterpret_cast<Sums>(a), y = reinterpret_cast<Sums>(b);
  return ((x << 16) >> 16) * ((y << 16) >> 16) + (x >> 16) * (y >> 16);
#endif
}

constexpr int kRows = kBytes >= 64 ? 8 : 4, kVectors = kBytes >= 64 ? 1 : 2;
constexpr int64_t kSteps = 16;               // of 64 elements that are multiplied at a time
constexpr int64_t kWords = kSteps * 64 / 2;  // of a row: pairs of its elements with even, then with odd numbers

void split(const uint8_t* row, int64_t n, uint32_t* words) {
  for (int64_t l = 0; l < n; l += 4) {
    uint32_t four;
    std::memcpy(&four, row + l, sizeof four);
    words[l / 2] = four & 0x00ff00ff;
    words[l / 2 + 1] = four >> 8 & 0x00ff00ff;
  }
}

// Some rows and kVectors vectors of a panel, from its byte `b` on, for 64 * steps elements.
template <int rows>
void block(const Int8Product& p, const uint32_t (*words)[kWords], const int8_t* b, int64_t steps, bool add,
           int32_t* out) {
  Sums sum[rows][kVectors] = {};
  if (add)
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < kVectors; ++v) std::memcpy(&sum[i][v], out + i * p.sums_row + v * kLanes, sizeof sum[i][v]);
  for (int64_t l = 0; l < 32 * steps; l += 2, b += 64) {
    Pairs even[kVectors], odd[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      Pairs all;
      std::memcpy(&all, b + v * kBytes, sizeof all);
      even[v] = static_cast<Pairs>(all << 8) >> 8;
      odd[v] = all >> 8;
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Sums first = Sums{} + static_cast<int32_t>(words[i][l]),
                 second = Sums{} + static_cast<int32_t>(words[i][l + 1]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v)
        sum[i][v] +=
            of_pairs(reinterpret_cast<Pairs>(first), even[v]) + of_pairs(reinterpret_cast<Pairs>(second), odd[v]);
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < kVectors; ++v) std::memcpy(out + i * p.sums_row + v * kLanes, &sum[i][v], sizeof sum[i][v]);
}

void product(const Int8Product& p) {
  uint32_t words[kRows][kWords];
  for (int64_t row = 0; row < p.rows; row += kRows) {
    const int64_t count = p.rows - row < kRows ? p.rows - row : kRows;
    for (int64_t step = 0; step < p.steps; step += kSteps) {
      const int64_t steps = p.steps - step < kSteps ? p.steps - step : kSteps;
      for (int64_t i = 0; i < count; ++i) split(p.a + (row + i) * p.a_row + step * 64, steps * 64, words[i]);
      for (int64_t panel = 0; panel < p.panels; ++panel)
        for (int64_t part = 0; part < 64; part += kVectors * kBytes) {
          const int8_t* const b = p.b + panel * p.b_panel + step * 1024 + part;
          int32_t* const out = p.sums + row * p.sums_row + panel * chainer::cpu::kInt8Columns + part / 4;
          if (count == kRows)
            block<kRows>(p, words, b, steps, step > 0, out);
          else
            for (int64_t i = 0; i < count; ++i) block<1>(p, words + i, b, steps, step > 0, out + i * p.sums_row);
        }
    }
  }
}

typedef float Floats __attribute__((vector_size(kBytes)));
typedef uint8_t Bytes __attribute__((vector_size(kLanes)));

// The larger and the smaller of two numbers; the limit if v is NaN.
[[gnu::always_inline]] inline Floats at_least(Floats v, Floats limit) {
#if defined(__AVX512F__) && __BIGGEST_ALIGNMENT__ >= 64
  return reinterpret_cast<Floats>(_mm512_max_ps(reinterpret_cast<__m512>(v), reinterpret_cast<__m512>(limit)));
#elif defined(__AVX2__) && __BIGGEST_ALIGNMENT__ == 32
  return reinterpret_cast<Floats>(_mm256_max_ps(reinterpret_cast<__m256>(v), reinterpret_cast<__m256>(limit)));
#elif defined(__SSE2__) && __BIGGEST_ALIGNMENT__ <= 16
  return reinterpret_cast<Floats>(_mm_max_ps(reinterpret_cast<__m128>(v), reinterpret_cast<__m128>(limit)));
#else
  return v > limit ? v : limit;
#endif
}
[[gnu::always_inline]] inline Floats at_most(Floats v, Floats limit) {
#if defined(__AVX512F__) && __BIGGEST_ALIGNMENT__ >= 64
  return reinterpret_cast<Floats>(_mm512_min_ps(reinterpret_cast<__m512>(v), reinterpret_cast<__m512>(limit)));
#elif defined(__AVX2__) && __BIGGEST_ALIGNMENT__ == 32
  return reinterpret_cast<Floats>(_mm256_min_ps(reinterpret_cast<__m256>(v), reinterpret_cast<__m256>(limit)));
#elif defined(__SSE2__) && __BIGGEST_ALIGNMENT__ <= 16
  return reinterpret_cast<Floats>(_mm_min_ps(reinterpret_cast<__m128>(v), reinterpret_cast<__m128>(limit)));
#else
  return v < limit ? v : limit;
#endif
}

template <class V, class T>
[[gnu::always_inline]] inline V read(const T* from, int64_t count) {
  V v = {};
  if (count >= kLanes)
    std::memcpy(&v, from, sizeof v);
  else
    std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(T));
  return v;
}
template <class V, class T>
[[gnu::always_inline]] inline void write(T* to, const V& v, int64_t count) {
  if (count >= kLanes)
    std::memcpy(to, &v, sizeof v);
  else
    std::memcpy(to, &v, static_cast<std::size_t>(count) * sizeof(T));
}

// (GCC would convert bytes one at a time.)
[[gnu::always_inline]] inline Bytes narrow(Sums v) {
#if defined(__AVX512F__) && __BIGGEST_ALIGNMENT__ >= 64
  return reinterpret_cast<Bytes>(_mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(v)));
#else
  return __builtin_convertvector(v, Bytes);
#endif
}
template <class T>
[[gnu::always_inline]] inline Sums widened(const uint8_t* from, int64_t count) {
  const Bytes b = read<Bytes>(from, count);
#if defined(__AVX512F__) && __BIGGEST_ALIGNMENT__ >= 64
  const auto bytes = reinterpret_cast<__m128i>(b);
  return reinterpret_cast<Sums>(static_cast<T>(-1) < 0 ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes));
#elif defined(__AVX2__) && __BIGGEST_ALIGNMENT__ == 32
  int64_t all;
  std::memcpy(&all, &b, sizeof all);
  const __m128i bytes = _mm_cvtsi64_si128(all);
  return reinterpret_cast<Sums>(static_cast<T>(-1) < 0 ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
#else
  Sums v;
  for (int i = 0; i < kLanes; ++i) v[i] = static_cast<T>(b[i]);
  return v;
#endif
}

// Integers between limits: zero plus the nearest integer, half to even, of a number.
struct Rounding {
  Rounding(float z, float l, float h) : zero(Floats{} + z), low(Floats{} + (l - z)), high(Floats{} + (h - z)) {}
  [[gnu::always_inline]] Bytes operator()(Floats v) const {
    const Floats shift = Floats{} + 12582912.f;  // 1.5 * 2^23: its last bit is 1
    const Floats whole = (at_most(at_least(v, low), high) + shift) - shift;
    return narrow(__builtin_convertvector(whole + zero, Sums));
  }
  Floats zero, low, high;
};

[[gnu::always_inline]] inline Floats value(const Int8Results& r, int64_t j) {
  Sums sum, offset;
  std::memcpy(&sum, r.sums + j, sizeof sum);
  std::memcpy(&offset, r.offset + j, sizeof offset);
  return __builtin_convertvector(sum + offset, Floats) * load(r.scale + j);
}
void to_bytes(const Int8Results& results, uint8_t* out) {
  const Int8Results r = results;  // (a copy, which `out` does not alias)
  const Rounding rounding(r.zero, r.low, r.high);
  int64_t j = 0;
#if defined(__AVX512BW__) && __BIGGEST_ALIGNMENT__ >= 64
  const Bytes64 bytes(r.zero, r.low, r.high);
  const auto next = [&](int64_t at) __attribute__((always_inline)) { return reinterpret_cast<__m512>(value(r, at)); };
  for (; j + 64 <= r.n; j += 64)
    _mm512_storeu_si512(out + j, bytes.in_order(next(j), next(j + 16), next(j + 32), next(j + 48)));
#endif
  for (; j < r.n; j += kLanes) write(out + j, rounding(value(r, j)), r.n - j);
}
void to_floats(const Int8Results& results, float* out) {
  const Int8Results r = results;
  const Floats low = Floats{} + r.low, high = Floats{} + r.high;
  for (int64_t j = 0; j < r.n; j += kLanes) write(out + j, at_most(at_least(value(r, j), low), high), r.n - j);
}
void quantize(const float* x, float scale, float zero, float low, float high, uint8_t* out, int64_t n) {
  const Rounding rounding(zero, low, high);
  for (int64_t i = 0; i < n; i += kLanes) write(out + i, rounding(read<Floats>(x + i, n - i) / scale), n - i);
}

struct Plus {
  static constexpr bool kScalesOnce = false;
  static Floats of(Floats x, Floats y) { return x + y; }
};
struct Times {
  static constexpr bool kScalesOnce = true;  // the scale of the result divides one of the factors
  static Floats of(Floats x, Floats y) { return x * y; }
};
template <class F, class A, class B>
void combine(const Int8Pair& s, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n) {
  const Rounding rounding(s.zero, s.low, s.high);
  const Floats a_zero = Floats{} + s.a_zero, b_zero = Floats{} + s.b_zero;
  const Floats a_factor = Floats{} + (F::kScalesOnce ? s.a_scale : s.a_scale / s.scale),
               b_factor = Floats{} + s.b_scale / s.scale;
  for (int64_t i = 0; i < n; i += kLanes) {
    const Floats x = (__builtin_convertvector(widened<A>(a + i, n - i), Floats) - a_zero) * a_factor;
    const Floats y = (__builtin_convertvector(widened<B>(b + i, n - i), Floats) - b_zero) * b_factor;
    write(out + i, rounding(F::of(x, y)), n - i);
  }
}
template <class F>
void of_pair(const Int8Pair& s, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n) {
  if (s.a_is_signed)
    s.b_is_signed ? combine<F, int8_t, int8_t>(s, a, b, out, n) : combine<F, int8_t, uint8_t>(s, a, b, out, n);
  else
    s.b_is_signed ? combine<F, uint8_t, int8_t>(s, a, b, out, n) : combine<F, uint8_t, uint8_t>(s, a, b, out, n);
}

void look_up(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = table[x[i]];
}
#if defined(__AVX512BW__)
// Two permutations of 128 bytes, for the lower and the upper half of the table.
[[gnu::target("avx512vbmi")]] void permute(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n) {
  const __m512i part[4] = {_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64), _mm512_loadu_si512(table + 128),
                           _mm512_loadu_si512(table + 192)};
  for (int64_t i = 0; i < n; i += 64) {
    const __mmask64 inside = n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
    const __m512i v = _mm512_maskz_loadu_epi8(inside, x + i);
    const __m512i low = _mm512_permutex2var_epi8(part[0], v, part[1]),
                  high = _mm512_permutex2var_epi8(part[2], v, part[3]);
    _mm512_mask_storeu_epi8(out + i, inside, _mm512_mask_blend_epi8(_mm512_movepi8_mask(v), low, high));
  }
}
#endif

template <class T>
void larger(uint8_t* out, const uint8_t* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) out[j] = static_cast<T>(x[j]) > static_cast<T>(out[j]) ? x[j] : out[j];
}
template <class T>
void accumulate(int32_t* sums, const uint8_t* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) sums[j] += static_cast<T>(x[j]);
}

template <class T>
void depthwise(const chainer::cpu::Int8Depthwise& d) {
  for (int64_t j = 0; j < d.n; j += kLanes) {
    Sums sum = {};
    for (int64_t p = 0; p < d.pairs; ++p) {
      const Sums first = widened<T>(d.taps[2 * p] + j, d.n - j), second = widened<T>(d.taps[2 * p + 1] + j, d.n - j);
      Pairs weights;
      std::memcpy(&weights, d.weights + (p * d.padded + j) * 2, sizeof weights);
      sum += of_pairs(reinterpret_cast<Pairs>((first & 0xffff) | (second << 16)), weights);
    }
    std::memcpy(d.sums + j, &sum, sizeof sum);
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_int8(Int8Loops& k) {
  k = {product,
       to_bytes,
       to_floats,
       quantize,
       of_pair<Plus>,
       of_pair<Times>,
       look_up,
       {larger<uint8_t>, larger<int8_t>},
       {accumulate<uint8_t>, accumulate<int8_t>},
       {depthwise<uint8_t>, depthwise<int8_t>}};
#if defined(__AVX512BW__)
  if (__builtin_cpu_supports("avx512vbmi")) k.look_up = permute;
#endif
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
