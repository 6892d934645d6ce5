// SPDX-License-Identifier: MIT
// Means, variances and their gradients for several keys. Compiled once per instruction set.
#include <bit>
#include <cstdint>

#include "chainer/backend/cpu/kernels/float_vector.h"
#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/ivdep.h"

namespace {

constexpr int64_t kKeys = chainer::cpu::kMomentKeys;

// bfloat16 in memory, computed in float. Rounds as half.h does, without a branch, so that loops are vectorized. A type
// of this source, so that no code compiled for one instruction set is shared with another.
struct InMemory {
  uint16_t bits;
  InMemory() = default;
  [[gnu::always_inline]] InMemory(float f) {
    const uint32_t u = std::bit_cast<uint32_t>(f), high = u >> 16;
    const uint32_t rounded = (u + 0x7fffu + (high & 1u)) >> 16;
    bits = static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? high | 0x40u : rounded);
  }
  [[gnu::always_inline]] operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

// Below, T is the type of the computation, S that of elements in memory.

// A block of rows is in cache after the first pass, so the second pass causes no memory traffic.
template <class T, class S>
void moments_rows(double* mean, double* squares, const void* x_, int64_t rows, int64_t keys, int64_t stride) {
  const S* x = static_cast<const S*>(x_);
  T sum[kKeys], center[kKeys], square[kKeys];
  for (int64_t k = 0; k < keys; ++k) sum[k] = 0, square[k] = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < keys; ++k) sum[k] += x[r * stride + k];
  for (int64_t k = 0; k < keys; ++k) {
    mean[k] = static_cast<double>(sum[k]) / static_cast<double>(rows);
    center[k] = static_cast<T>(mean[k]);
    sum[k] = 0;
  }
  // Differences from the rounded mean; the effect of its rounding is subtracted at the end.
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < keys; ++k) {
      const T d = x[r * stride + k] - center[k];
      sum[k] += d;
      square[k] += d * d;
    }
  }
  for (int64_t k = 0; k < keys; ++k) {
    const double rest = static_cast<double>(sum[k]) / static_cast<double>(rows);
    mean[k] = static_cast<double>(center[k]) + rest;
    const double s = static_cast<double>(square[k]) - rest * static_cast<double>(sum[k]);
    squares[k] = s < 0 ? 0 : s;
  }
}

// Returns the sum of f(i) over i, in 32 lanes.
template <class T, class F>
double total(int64_t n, F f) {
  constexpr int64_t kLanes = 32;
  T lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) lane[l] += f(i + l);
  for (int64_t l = 0; i + l < n; ++l) lane[l] += f(i + l);
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t l = 0; l < width; ++l) lane[l] += lane[l + width];
  return static_cast<double>(lane[0]);
}

template <class T, class S>
void moments_run(double* mean, double* squares, const void* x_, int64_t n) {
  const S* x = static_cast<const S*>(x_);
  const double count = static_cast<double>(n);
  const T center = static_cast<T>(total<T>(n, [x](int64_t i) { return x[i]; }) / count);
  const double rest = total<T>(n, [x, center](int64_t i) { return x[i] - center; }) / count;
  const double s = total<T>(n,
                            [x, center](int64_t i) {
                              const T d = x[i] - center;
                              return d * d;
                            }) -
                   rest * rest * count;
  *mean = static_cast<double>(center) + rest;
  *squares = s < 0 ? 0 : s;
}

template <class T, class S>
void products_rows(double* total_, double* along_, const void* gy_, const void* x_, const double* mean, int64_t rows,
                   int64_t keys, int64_t stride) {
  const S *gy = static_cast<const S*>(gy_), *x = static_cast<const S*>(x_);
  T sum[kKeys], product[kKeys], center[kKeys];
  for (int64_t k = 0; k < keys; ++k) sum[k] = 0, product[k] = 0, center[k] = static_cast<T>(mean[k]);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < keys; ++k) {
      const T g = gy[r * stride + k];
      sum[k] += g;
      product[k] += g * (x[r * stride + k] - center[k]);
    }
  }
  for (int64_t k = 0; k < keys; ++k) {
    total_[k] += static_cast<double>(sum[k]);
    along_[k] += static_cast<double>(product[k]);
  }
}

template <class T, class S>
void products_run(double* total_, double* along_, const void* gy_, const void* x_, double mean, int64_t n) {
  const S *gy = static_cast<const S*>(gy_), *x = static_cast<const S*>(x_);
  const T center = static_cast<T>(mean);
  *total_ += total<T>(n, [gy](int64_t i) { return gy[i]; });
  *along_ += total<T>(n, [gy, x, center](int64_t i) { return gy[i] * (x[i] - center); });
}

template <class T, class S>
void combine_rows(void* gx_, const void* gy_, const void* x_, const void* mean_, const void* a_, const void* b_,
                  const void* c_, int64_t rows, int64_t keys) {
  S* gx = static_cast<S*>(gx_);
  const S *gy = static_cast<const S*>(gy_), *x = static_cast<const S*>(x_);
  const T *mean = static_cast<const T*>(mean_), *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_),
          *c = static_cast<const T*>(c_);
  for (int64_t r = 0; r < rows; ++r, gx += keys, gy += keys, x += keys) {
    CHAINER_IVDEP
    for (int64_t k = 0; k < keys; ++k) gx[k] = a[k] * (gy[k] - b[k]) - c[k] * (x[k] - mean[k]);
  }
}

template <class T, class S>
void combine_run(void* gx_, const void* gy_, const void* x_, double mean, double a, double b, double c, int64_t n) {
  S* gx = static_cast<S*>(gx_);
  const S *gy = static_cast<const S*>(gy_), *x = static_cast<const S*>(x_);
  const T center = static_cast<T>(mean), ta = static_cast<T>(a), tb = static_cast<T>(b), tc = static_cast<T>(c);
  CHAINER_IVDEP
  for (int64_t i = 0; i < n; ++i) gx[i] = ta * (gy[i] - tb) - tc * (x[i] - center);
}

template <class T, class S = T>
void fill(chainer::cpu::ImageKernels& k, int c) {
  k.moments_rows[c] = moments_rows<T, S>;
  k.moments_run[c] = moments_run<T, S>;
  k.products_rows[c] = products_rows<T, S>;
  k.products_run[c] = products_run<T, S>;
  k.combine_rows[c] = combine_rows<T, S>;
  k.combine_run[c] = combine_run<T, S>;
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_moments(ImageKernels& k) {
  fill<float>(k, 0);
  fill<double>(k, 1);
  if constexpr (kBytes >= 64) fill<float, InMemory>(k, kBfloatMoments);
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
