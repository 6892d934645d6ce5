// SPDX-License-Identifier: MIT
// Conversions between stored dtypes and compute types. Compiled once per instruction set.
#include <cstring>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "chainer/array/half.h"
#include "chainer/backend/cpu/kernels/fill.h"

namespace {

// Local versions of the 16-bit types, so that no code compiled for one instruction set is shared with another.
struct Half {
  uint16_t bits;
};
struct BHalf {
  uint16_t bits;
};
struct Mask {
  uint8_t bits;
};

template <class To, class From>
[[gnu::always_inline]] inline To convert(From v) {
  if constexpr (__is_same(From, Half)) {
    return convert<To>(chainer::detail::half_to_float(v.bits));
  } else if constexpr (__is_same(From, BHalf)) {
    return convert<To>(chainer::detail::bfloat_to_float(v.bits));
  } else if constexpr (__is_same(From, Mask)) {
    return convert<To>(int64_t(v.bits != 0));
  } else if constexpr (__is_same(From, double) && (__is_same(To, Half) || __is_same(To, BHalf))) {
    return convert<To>(chainer::detail::double_to_odd(v));
  } else if constexpr (__is_same(To, Half)) {
    return {chainer::detail::float_to_half(static_cast<float>(v))};
  } else if constexpr (__is_same(To, BHalf)) {
    return {chainer::detail::float_to_bfloat(static_cast<float>(v))};
  } else if constexpr (__is_same(To, Mask)) {
    return {static_cast<uint8_t>(v != From(0))};
  } else if constexpr (From(0.5) != From(0) && To(0.5) == To(0)) {
    return static_cast<To>(static_cast<int64_t>(v));  // floating to integer wraps as in NumPy on x86
  } else {
    return static_cast<To>(v);
  }
}

// Dense runs of 16-bit types and floats, kRun elements at a time in registers of 64 or 32 bytes. The bits are those of
// half.h.
#ifdef __AVX512BW__
#define CHAINER_RUNS_OF_HALVES
constexpr int64_t kRun = 16;
using Floats = __m512;
[[gnu::always_inline]] inline Floats get(const Half* s) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(s)));
}
[[gnu::always_inline]] inline Floats get(const BHalf* s) {
  const __m512i v = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(s)));
  return _mm512_castsi512_ps(_mm512_slli_epi32(v, 16));
}
[[gnu::always_inline]] inline void put(float* o, Floats v) { _mm512_storeu_ps(o, v); }
[[gnu::always_inline]] inline __m256i to_half(const float* b) {
  const __m256i h = _mm512_cvtps_ph(_mm512_loadu_ps(b), _MM_FROUND_TO_NEAREST_INT);
  // Every NaN becomes the same one, with its sign.
  const __mmask16 nan =
      _mm256_cmpgt_epi16_mask(_mm256_and_si256(h, _mm256_set1_epi16(0x7fff)), _mm256_set1_epi16(0x7c00));
  const __m256i quiet = _mm256_or_si256(_mm256_and_si256(h, _mm256_set1_epi16(-0x8000)), _mm256_set1_epi16(0x7e00));
  return _mm256_mask_mov_epi16(h, nan, quiet);
}
// The lower halves of the results are undefined. (Few instructions: programs round each of their results.)
[[gnu::always_inline]] inline __m512i to_bfloat(const float* b) {
  const __m512 x = _mm512_loadu_ps(b);
  const __m512i u = _mm512_castps_si512(x), quiet = _mm512_or_si512(u, _mm512_set1_epi32(0x400000));
  const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
  const __m512i up = _mm512_mask_add_epi32(quiet, number, u, _mm512_set1_epi32(0x7fff));
  const __mmask16 odd = _mm512_mask_test_epi32_mask(number, u, _mm512_set1_epi32(0x10000));
  return _mm512_mask_add_epi32(up, odd, up, _mm512_set1_epi32(1));
}
[[gnu::always_inline]] inline Floats rounded(const float* b, Half) { return _mm512_cvtph_ps(to_half(b)); }
[[gnu::always_inline]] inline Floats rounded(const float* b, BHalf) {
  return _mm512_castsi512_ps(_mm512_and_si512(to_bfloat(b), _mm512_set1_epi32(-0x10000)));
}
[[gnu::always_inline]] inline void put_16(Half* o, const float* b) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(o), to_half(b));
}
[[gnu::always_inline]] inline void put_16(BHalf* o, const float* b) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(o), _mm512_cvtepi32_epi16(_mm512_srli_epi32(to_bfloat(b), 16)));
}
#elif defined(__F16C__)
#define CHAINER_RUNS_OF_HALVES
constexpr int64_t kRun = 8;
using Floats = __m256;
[[gnu::always_inline]] inline Floats get(const Half* s) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s)));
}
[[gnu::always_inline]] inline Floats get(const BHalf* s) {
  const __m256i v = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(v, 16));
}
[[gnu::always_inline]] inline void put(float* o, Floats v) { _mm256_storeu_ps(o, v); }
[[gnu::always_inline]] inline __m128i to_half(const float* b) {
  const __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(b), _MM_FROUND_TO_NEAREST_INT);
  // Every NaN becomes the same one, with its sign.
  const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(h, _mm_set1_epi16(0x7fff)), _mm_set1_epi16(0x7c00));
  const __m128i quiet = _mm_or_si128(_mm_and_si128(h, _mm_set1_epi16(-0x8000)), _mm_set1_epi16(0x7e00));
  return _mm_blendv_epi8(h, quiet, nan);
}
[[gnu::always_inline]] inline __m256i to_bfloat(const float* b) {
  const __m256i u = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)), high = _mm256_srli_epi32(u, 16);
  const __m256i half = _mm256_add_epi32(_mm256_and_si256(high, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(u, half), 16);
  const __m256i magnitude = _mm256_and_si256(u, _mm256_set1_epi32(0x7fffffff));
  const __m256i nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
  return _mm256_blendv_epi8(rounded, _mm256_or_si256(high, _mm256_set1_epi32(0x40)), nan);
}
[[gnu::always_inline]] inline Floats rounded(const float* b, Half) { return _mm256_cvtph_ps(to_half(b)); }
[[gnu::always_inline]] inline Floats rounded(const float* b, BHalf) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(to_bfloat(b), 16));
}
[[gnu::always_inline]] inline void put_16(Half* o, const float* b) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(o), to_half(b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(o + 8), to_half(b + 8));
}
[[gnu::always_inline]] inline void put_16(BHalf* o, const float* b) {
  const __m256i packed = _mm256_packus_epi32(to_bfloat(b), to_bfloat(b + 8));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(o), _mm256_permute4x64_epi64(packed, 0xd8));
}
#endif

// Return the number of elements that they convert: the others are left to loops.
#ifdef CHAINER_RUNS_OF_HALVES
template <class S>
concept OfHalves = __is_same(S, Half) || __is_same(S, BHalf);
template <OfHalves S>
int64_t widen(float* o, const S* s, int64_t n) {
  // A block is computed after it has been loaded: meanwhile the next one comes to the first-level cache.
  constexpr int64_t kAhead = 1024, kLine = 32;
  int64_t i = 0;
  for (; i + kLine <= n; i += kLine) {
    __builtin_prefetch(s + i + kAhead);
    for (int64_t j = i; j < i + kLine; j += kRun) put(o + j, get(s + j));
  }
  for (; i + kRun <= n; i += kRun) put(o + i, get(s + i));
  return i;
}
template <OfHalves S>
int64_t narrow(S* o, const float* b, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) put_16(o + i, b + i);
  return i;
}
#endif
template <class To, class From>
int64_t widen(To*, const From*, int64_t) {
  return 0;
}
template <class To, class From>
int64_t narrow(To*, const From*, int64_t) {
  return 0;
}

template <class C, class S>
void load(void* block, const void* from, int64_t stride, int64_t n) {
  C* o = static_cast<C*>(block);
  const S* s = static_cast<const S*>(from);
  if (stride == 1) {
    if constexpr (__is_same(C, S) && !__is_same(C, Mask)) {
      std::memcpy(o, s, static_cast<size_t>(n) * sizeof(C));
    } else {
      for (int64_t i = widen(o, s, n); i < n; ++i) o[i] = convert<C>(s[i]);
    }
  } else if (stride == 0) {
    const C v = convert<C>(s[0]);
    for (int64_t i = 0; i < n; ++i) o[i] = v;
  } else if (stride == -1) {
    for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[-i]);
  } else if (stride == 2) {
    for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[2 * i]);
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[i * stride]);
  }
}
template <class C, class S>
void store(void* to, int64_t stride, const void* block, int64_t n) {
  S* o = static_cast<S*>(to);
  const C* b = static_cast<const C*>(block);
  if (stride == 1) {
    if constexpr (__is_same(C, S)) {
      std::memcpy(o, b, static_cast<size_t>(n) * sizeof(C));
    } else {
      for (int64_t i = narrow(o, b, n); i < n; ++i) o[i] = convert<S>(b[i]);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) o[i * stride] = convert<S>(b[i]);
  }
}

template <class S>
void round(float* out, const float* in, int64_t n) {
  int64_t i = 0;
#ifdef CHAINER_RUNS_OF_HALVES
  for (; i + kRun <= n; i += kRun) put(out + i, rounded(in + i, S{}));
#endif
  for (; i < n; ++i) out[i] = convert<float>(convert<S>(in[i]));
}

template <class C>
void fill_compute(chainer::cpu::Kernels& k, int c) {
  using chainer::cpu::LoadKernel, chainer::cpu::StoreKernel;
  // In the order of Dtype.
  const LoadKernel loads[] = {load<C, Mask>,    load<C, int8_t>, load<C, int16_t>, load<C, int32_t>, load<C, int64_t>,
                              load<C, uint8_t>, load<C, Half>,   load<C, float>,   load<C, double>,  load<C, BHalf>};
  const StoreKernel stores[] = {store<C, Mask>,    store<C, int8_t>,  store<C, int16_t>, store<C, int32_t>,
                                store<C, int64_t>, store<C, uint8_t>, store<C, Half>,    store<C, float>,
                                store<C, double>,  store<C, BHalf>};
  for (int d = 0; d < 10; ++d) k.load[c][d] = loads[d], k.store[c][d] = stores[d];
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_convert(Kernels& k) {
  k.round[0] = round<Half>, k.round[1] = round<BHalf>;
  fill_compute<float>(k, kF32);
  fill_compute<double>(k, kF64);
  fill_compute<int64_t>(k, kI64);
  fill_compute<Mask>(k, kMask);
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
