// SPDX-License-Identifier: MIT
// Rows with mean 0 and variance 1, and their gradients. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include "chainer/backend/cpu/kernels/fill.h"

namespace {

// Returns the sum of f(i) over i: 32 lanes in blocks of 512, whose sums are added in double.
template <class T, class F>
double total(int64_t n, F f) {
  constexpr int kLanes = 32;
  constexpr int64_t kRun = 512;
  double sum = 0;
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = n - begin < kRun ? n : begin + kRun;
    T lane[kLanes] = {};
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes)
      for (int l = 0; l < kLanes; ++l) lane[l] += f(i + l);
    for (int l = 0; i + l < end; ++l) lane[l] += f(i + l);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
    sum += static_cast<double>(lane[0]);
  }
  return sum;
}

template <class T>
void standardize(void* y_, const void* x_, int64_t n, double eps, double* rstd) {
  T* y = static_cast<T*>(y_);
  const T* x = static_cast<const T*>(x_);
  const T mean = static_cast<T>(total<T>(n, [x](int64_t i) { return x[i]; }) / static_cast<double>(n));
  const double squares = total<T>(n, [x, mean](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
  *rstd = 1 / m::sqrt(squares / static_cast<double>(n) + eps);
  const T factor = static_cast<T>(*rstd);
  CHAINER_IVDEP
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor;
}

// gx = rstd (g - mean(g) - y mean(g y))
template <class T>
void standardize_grad(void* gx_, const void* g_, const void* y_, int64_t n, double rstd) {
  T* gx = static_cast<T*>(gx_);
  const T *g = static_cast<const T*>(g_), *y = static_cast<const T*>(y_);
  const T mean = static_cast<T>(total<T>(n, [g](int64_t i) { return g[i]; }) / static_cast<double>(n));
  const T along = static_cast<T>(total<T>(n, [g, y](int64_t i) { return g[i] * y[i]; }) / static_cast<double>(n));
  const T factor = static_cast<T>(rstd);
  CHAINER_IVDEP
  for (int64_t i = 0; i < n; ++i) gx[i] = factor * (g[i] - mean - y[i] * along);
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_normalize(Kernels& k) {
  k.standardize[kF32] = standardize<float>;
  k.standardize[kF64] = standardize<double>;
  k.standardize_grad[kF32] = standardize_grad<float>;
  k.standardize_grad[kF64] = standardize_grad<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
