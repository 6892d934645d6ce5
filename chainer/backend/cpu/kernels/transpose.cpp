// SPDX-License-Identifier: MIT
// Transposition in small squares, so that both sides access whole cache lines. Compiled once per instruction set.
#include "chainer/backend/cpu/kernels/fill.h"
#include "chainer/backend/cpu/kernels/float_vector.h"
#include "chainer/backend/cpu/kernels/turn.h"

namespace {

// Transposes a square of elements of any size, through a buffer in the first-level cache.
template <class T>
[[gnu::always_inline]] inline void whole_square(T* out, int64_t out_step, const T* in, int64_t in_step) {
  constexpr int64_t kSide = 64 / sizeof(T);
  T square[kSide][kSide];
  for (int64_t a = 0; a < kSide; ++a) __builtin_memcpy(square[a], in + a * in_step, sizeof square[a]);
  for (int64_t b = 0; b < kSide; ++b)
    for (int64_t a = 0; a < kSide; ++a) out[b * out_step + a] = square[a][b];
}

template <class T>
[[gnu::always_inline, maybe_unused]] inline void square_in_registers(T* out, int64_t out_step, const T* in,
                                                                     int64_t in_step) {
  typedef T V __attribute__((vector_size(kBytes)));
  constexpr int kSide = static_cast<int>(kBytes / sizeof(T));
  V v[kSide];
#pragma GCC unroll 32
  for (int a = 0; a < kSide; ++a) __builtin_memcpy(&v[a], in + a * in_step, sizeof v[a]);
  chainer::cpu::turn<kSide / 2>(v);
#pragma GCC unroll 32
  for (int b = 0; b < kSide; ++b) __builtin_memcpy(out + b * out_step, &v[b], sizeof v[b]);
}

// With four floats, a square would write a quarter of a cache line at a time. Permutations of 16 bits over a whole
// register are in AVX-512.
template <class T>
constexpr bool in_registers = sizeof(T) == sizeof(float) ? kBytes >= 32 : sizeof(T) == sizeof(uint16_t) && kBytes >= 64;

template <class T>
void transpose(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = (in_registers<T> ? kBytes : 64) / static_cast<int64_t>(sizeof(T));
  T* const o = static_cast<T*>(out);
  const T* const x = static_cast<const T*>(in);
  // The last square overlaps the one before, unless there are too few elements for one.
  const auto begin = [](int64_t at, int64_t length) {
    return at + kSide > length && length >= kSide ? length - kSide : at;
  };
  for (int64_t row = 0; row < rows; row += kSide) {
    const int64_t i = begin(row, rows), m = rows < kSide ? rows : kSide;
    for (int64_t column = 0; column < columns; column += kSide) {
      const int64_t j = begin(column, columns), n = columns < kSide ? columns : kSide;
      if (m < kSide || n < kSide)
        for (int64_t b = 0; b < n; ++b)
          for (int64_t a = 0; a < m; ++a) o[(j + b) * out_step + i + a] = x[(i + a) * in_step + j + b];
      else if constexpr (in_registers<T>)
        square_in_registers(o + j * out_step + i, out_step, x + i * in_step + j, in_step);
      else
        whole_square(o + j * out_step + i, out_step, x + i * in_step + j, in_step);
    }
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_transpose(Kernels& k) {
  k.transpose[1] = transpose<uint8_t>;
  k.transpose[2] = transpose<uint16_t>;
  k.transpose[4] = transpose<float>;
  k.transpose[8] = transpose<uint64_t>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
