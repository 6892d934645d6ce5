// SPDX-License-Identifier: MIT
// Rows of attention's scores. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include "chainer/backend/cpu/kernels/attention_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/ivdep.h"

namespace {

using chainer::cpu::AttentionRow;

template <class T>
void clear_rest(const AttentionRow& r) {
  T* s = static_cast<T*>(r.s);
  for (int64_t i = r.n; i < r.width; ++i) s[i] = 0;
}

// s = scale s + bias
template <class T>
void scale_row(const AttentionRow& r) {
  T* s = static_cast<T*>(r.s);
  const T scale = static_cast<T>(r.scale);
  if (const T* bias = static_cast<const T*>(r.bias)) {
    CHAINER_IVDEP
    for (int64_t i = 0; i < r.n; ++i) s[i] = s[i] * scale + bias[i];
  } else {
    CHAINER_IVDEP
    for (int64_t i = 0; i < r.n; ++i) s[i] *= scale;
  }
}

template <class T>
double exponents(const AttentionRow& r, double& top, double& sum) {
  constexpr T kNone = -__builtin_huge_val();
  T* s = static_cast<T*>(r.s);
  scale_row<T>(r);
  const T before = static_cast<T>(top);
  T most = before;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < r.n; ++i) most = s[i] > most ? s[i] : most;
  clear_rest<T>(r);
  if (most == kNone) {  // all scores of the row so far are masked out, or NaN
    CHAINER_IVDEP
    for (int64_t i = 0; i < r.n; ++i) s[i] = s[i] == kNone ? T(0) : s[i];
    for (int64_t i = 0; i < r.n; ++i) sum += static_cast<double>(s[i]);
    return 1;
  }
  T part = 0;
#pragma omp simd reduction(+ : part)
  for (int64_t i = 0; i < r.n; ++i) {
    const T e = m::exp(s[i] - most);
    s[i] = e;
    part += e;
  }
  const double factor = before == most ? 1 : static_cast<double>(m::exp(before - most));
  top = static_cast<double>(most);
  sum = sum * factor + static_cast<double>(part);
  return factor;
}

template <class T>
void probabilities(const AttentionRow& r, double top_, double inverse_) {
  T* s = static_cast<T*>(r.s);
  const T top = static_cast<T>(top_), inverse = static_cast<T>(inverse_);
  scale_row<T>(r);
  CHAINER_IVDEP
  for (int64_t i = 0; i < r.n; ++i) s[i] = m::exp(s[i] - top) * inverse;
  clear_rest<T>(r);
}

template <class T>
void scores_grad(const AttentionRow& r, const void* p_, double along_) {
  T* s = static_cast<T*>(r.s);
  const T *p = static_cast<const T*>(p_), scale = static_cast<T>(r.scale), along = static_cast<T>(along_);
  CHAINER_IVDEP
  for (int64_t i = 0; i < r.n; ++i) s[i] = scale * (p[i] * (s[i] - along));
  clear_rest<T>(r);
}

template <class T>
double dot(const void* x_, const void* y_, int64_t n) {
  const T *x = static_cast<const T*>(x_), *y = static_cast<const T*>(y_);
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return static_cast<double>(sum);
}

template <class T>
void fill(chainer::cpu::AttentionKernels& k, int c) {
  k.exponents[c] = exponents<T>;
  k.probabilities[c] = probabilities<T>;
  k.scores_grad[c] = scores_grad<T>;
  k.dot[c] = dot<T>;
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_attention(AttentionKernels& k) {
  fill<float>(k, kF32);
  fill<double>(k, kF64);
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
