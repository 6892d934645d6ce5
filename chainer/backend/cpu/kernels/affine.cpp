// SPDX-License-Identifier: MIT
// Gradients of softmax, and normalized rows with gamma and beta, row by row. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include "chainer/backend/cpu/kernels/row_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/ivdep.h"

namespace {

using chainer::cpu::AffineRow;

constexpr int kLanes = 32;
constexpr int64_t kRun = 512;

// Computes two sums over i, to which f(i) adds by reference: 32 lanes in blocks of 512, whose sums are added in double.
template <class T, class F>
void totals(int64_t n, double& first, double& second, F f) {
  first = second = 0;
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = n - begin < kRun ? n : begin + kRun;
    T a[kLanes] = {}, b[kLanes] = {};
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes)
      for (int l = 0; l < kLanes; ++l) f(i + l, a[l], b[l]);
    for (int l = 0; i + l < end; ++l) f(i + l, a[l], b[l]);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) a[l] += a[l + width], b[l] += b[l + width];
    first += static_cast<double>(a[0]);
    second += static_cast<double>(b[0]);
  }
}

// Softmax: y (g - sum of g y); log-softmax: g - exp(y) sum of g.
template <class T>
void softmax_grad(void* gx_, const void* gy_, const void* y_, int64_t n, bool log) {
  T* gx = static_cast<T*>(gx_);
  const T *g = static_cast<const T*>(gy_), *y = static_cast<const T*>(y_);
  double sum, unused;
  if (log) {
    totals<T>(n, sum, unused, [=](int64_t i, T& a, T&) { a += g[i]; });
    const T s = static_cast<T>(sum);
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) gx[i] = g[i] - m::exp(y[i]) * s;
  } else {
    totals<T>(n, sum, unused, [=](int64_t i, T& a, T&) { a += g[i] * y[i]; });
    const T s = static_cast<T>(sum);
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) gx[i] = y[i] * (g[i] - s);
  }
}

template <class T>
void affine(const AffineRow& r) {
  const T *x = static_cast<const T*>(r.x), *gamma = static_cast<const T*>(r.gamma);
  const T* beta = static_cast<const T*>(r.beta);
  T* y = static_cast<T*>(r.out);
  const int64_t n = r.keys * r.run;
  double sum, squares, unused;
  totals<T>(n, sum, unused, [=](int64_t i, T& a, T&) { a += x[i]; });
  const T mean = static_cast<T>(sum / static_cast<double>(n));
  totals<T>(n, squares, unused, [=](int64_t i, T& a, T&) { a += (x[i] - mean) * (x[i] - mean); });
  *r.mean = static_cast<double>(mean);
  *r.rstd = 1 / m::sqrt(squares / static_cast<double>(n) + r.eps);
  const T factor = static_cast<T>(*r.rstd);
  if (r.run == 1) {
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor * gamma[i] + beta[i];
    return;
  }
  for (int64_t key = 0; key < r.keys; ++key) {
    const T a = gamma[key], b = beta[key], *in = x + key * r.run;
    T* out = y + key * r.run;
    CHAINER_IVDEP
    for (int64_t i = 0; i < r.run; ++i) out[i] = (in[i] - mean) * factor * a + b;
  }
}

// With h = (x - mean) rstd and g = gy gamma: gx = rstd (g - mean(g) - h mean(g h)). gy h and gy are added to the
// gradients with respect to gamma and beta.
template <class T>
void affine_grad(const AffineRow& r) {
  const T *x = static_cast<const T*>(r.x), *gamma = static_cast<const T*>(r.gamma);
  const T* gy = static_cast<const T*>(r.gy);
  T* gx = static_cast<T*>(r.out);
  const int64_t n = r.keys * r.run;
  const T mean = static_cast<T>(*r.mean), factor = static_cast<T>(*r.rstd);
  double sum = 0, along = 0;
  if (r.run == 1) {
    T *by_gamma = static_cast<T*>(r.by_gamma), *by_beta = static_cast<T*>(r.by_beta);
    totals<T>(n, sum, along, [=](int64_t i, T& a, T& b) {
      const T h = (x[i] - mean) * factor, g = gy[i] * gamma[i];
      a += g;
      b += g * h;
    });
    const T first = static_cast<T>(sum / static_cast<double>(n)),
            second = static_cast<T>(along / static_cast<double>(n));
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) {
      const T h = (x[i] - mean) * factor;
      by_gamma[i] += gy[i] * h;
      by_beta[i] += gy[i];
      gx[i] = factor * (gy[i] * gamma[i] - first - h * second);
    }
    return;
  }
  double *by_gamma = static_cast<double*>(r.by_gamma), *by_beta = static_cast<double*>(r.by_beta);
  for (int64_t key = 0; key < r.keys; ++key) {
    const T *in = x + key * r.run, *g = gy + key * r.run;
    double a, b;
    totals<T>(r.run, a, b, [=](int64_t i, T& s, T& t) {
      s += g[i];
      t += g[i] * ((in[i] - mean) * factor);
    });
    by_gamma[key] += b;
    by_beta[key] += a;
    sum += a * static_cast<double>(gamma[key]);
    along += b * static_cast<double>(gamma[key]);
  }
  const T first = static_cast<T>(sum / static_cast<double>(n)), second = static_cast<T>(along / static_cast<double>(n));
  for (int64_t key = 0; key < r.keys; ++key) {
    const T a = gamma[key], *in = x + key * r.run, *g = gy + key * r.run;
    T* out = gx + key * r.run;
    CHAINER_IVDEP
    for (int64_t i = 0; i < r.run; ++i) out[i] = factor * (g[i] * a - first - (in[i] - mean) * factor * second);
  }
}

template <class T>
void rms(const AffineRow& r) {
  const T *x = static_cast<const T*>(r.x), *gamma = static_cast<const T*>(r.gamma);
  T* y = static_cast<T*>(r.out);
  double squares, unused;
  totals<T>(r.keys, squares, unused, [=](int64_t i, T& a, T&) { a += x[i] * x[i]; });
  *r.rstd = 1 / m::sqrt(squares / static_cast<double>(r.keys) + r.eps);
  const T factor = static_cast<T>(*r.rstd);
  CHAINER_IVDEP
  for (int64_t i = 0; i < r.keys; ++i) y[i] = x[i] * factor * gamma[i];
}

// With h = x rstd and g = gy gamma: gx = rstd (g - h mean(g h)).
template <class T>
void rms_grad(const AffineRow& r) {
  const T *x = static_cast<const T*>(r.x), *gamma = static_cast<const T*>(r.gamma);
  const T* gy = static_cast<const T*>(r.gy);
  T *gx = static_cast<T*>(r.out), *by_gamma = static_cast<T*>(r.by_gamma);
  const T factor = static_cast<T>(*r.rstd);
  double along, unused;
  totals<T>(r.keys, along, unused, [=](int64_t i, T& a, T&) { a += gy[i] * gamma[i] * (x[i] * factor); });
  const T mean = static_cast<T>(along / static_cast<double>(r.keys));
  CHAINER_IVDEP
  for (int64_t i = 0; i < r.keys; ++i) {
    const T h = x[i] * factor;
    by_gamma[i] += gy[i] * h;
    gx[i] = factor * (gy[i] * gamma[i] - h * mean);
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_affine(RowKernels& k) {
  k.softmax_grad[kF32] = softmax_grad<float>;
  k.softmax_grad[kF64] = softmax_grad<double>;
  k.affine[kF32] = affine<float>;
  k.affine[kF64] = affine<double>;
  k.affine_grad[kF32] = affine_grad<float>;
  k.affine_grad[kF64] = affine_grad<double>;
  k.rms[kF32] = rms<float>;
  k.rms[kF64] = rms<double>;
  k.rms_grad[kF32] = rms_grad<float>;
  k.rms_grad[kF64] = rms_grad<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
