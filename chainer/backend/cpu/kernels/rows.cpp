// SPDX-License-Identifier: MIT
// Inner products with selected rows, and their gradients. Compiled once per instruction set.
#include <cstdint>

#include "chainer/backend/cpu/kernels/fill.h"

namespace {

constexpr int64_t kAhead = 4;  // rows to prefetch: their addresses are random

// Rows are processed in vectors that stay in registers; the remainder element by element.
template <class T>
struct Vector {
  static constexpr int64_t kLanes = 64 / sizeof(T);
  typedef T type __attribute__((vector_size(64)));
};

template <class T>
inline void fetch(const T* row, int64_t d) {
  for (int64_t c = 0; c < d; c += Vector<T>::kLanes) __builtin_prefetch(row + c);
}

template <class T>
void dot(void* out, const void* x_, const void* w_, const int64_t* index, int64_t k, int64_t d, bool fetches) {
  constexpr int64_t kLanes = Vector<T>::kLanes;
  T* o = static_cast<T*>(out);
  const T *x = static_cast<const T*>(x_), *w = static_cast<const T*>(w_);
  for (int64_t j = 0; j < k; ++j) {
    if (fetches) fetch(w + index[j + kAhead] * d, d);
    const T* row = w + index[j] * d;
    typename Vector<T>::type sum = {}, a, b;
    int64_t c = 0;
    for (; c + kLanes <= d; c += kLanes) {
      __builtin_memcpy(&a, x + c, sizeof a);
      __builtin_memcpy(&b, row + c, sizeof b);
      sum += a * b;
    }
    T lane[kLanes];
    __builtin_memcpy(lane, &sum, sizeof lane);
    for (int64_t l = 0; c + l < d; ++l) lane[l] += x[c + l] * row[c + l];
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t l = 0; l < half; ++l) lane[l] += lane[l + half];
    o[j] = lane[0];
  }
}

template <class T>
void combine(void* out, const void* g_, const void* w_, const int64_t* index, int64_t k, int64_t d, bool fetches) {
  constexpr int64_t kLanes = Vector<T>::kLanes;
  T* o = static_cast<T*>(out);
  const T *g = static_cast<const T*>(g_), *w = static_cast<const T*>(w_);
  if (fetches)
    for (int64_t j = 0; j < k; ++j) fetch(w + index[k + j] * d, d);  // those of the next row
  int64_t c = 0;
  for (; c + kLanes <= d; c += kLanes) {
    typename Vector<T>::type sum = {}, b;
    for (int64_t j = 0; j < k; ++j) {
      __builtin_memcpy(&b, w + index[j] * d + c, sizeof b);
      sum += g[j] * b;
    }
    __builtin_memcpy(o + c, &sum, sizeof sum);
  }
  for (; c < d; ++c) {
    T s = 0;
    for (int64_t j = 0; j < k; ++j) s += g[j] * w[index[j] * d + c];
    o[c] = s;
  }
}

template <class T>
void add_scaled(void* y_, double a, const void* x_, int64_t n) {
  T* y = static_cast<T*>(y_);
  const T* x = static_cast<const T*>(x_);
  const T factor = static_cast<T>(a);
  CHAINER_IVDEP
  for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_picked_rows(Kernels& k) {
  k.rows_ahead = kAhead;
  k.rows_dot[kF32] = dot<float>;
  k.rows_dot[kF64] = dot<double>;
  k.rows_combine[kF32] = combine<float>;
  k.rows_combine[kF64] = combine<double>;
  k.add_scaled[kF32] = add_scaled<float>;
  k.add_scaled[kF64] = add_scaled<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
