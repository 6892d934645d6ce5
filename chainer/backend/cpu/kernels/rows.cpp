// SPDX-License-Identifier: MIT
// Inner products with selected rows, and their gradients. Compiled once per instruction set.
#include <cstdint>

#include "chainer/backend/cpu/kernels/fill.h"
#include "chainer/backend/cpu/kernels/register_bytes.h"

namespace {

constexpr int64_t kAhead = 4;  // rows to prefetch: their addresses are random

// Rows are processed in groups of 64 bytes that stay in registers, one vector or several; the remainder element by
// element. (Vectors that are wider than registers would be kept in memory.)
template <class T>
struct Group {
  static constexpr int64_t kVectors = 64 / kRegisterBytes, kLanes = 64 / sizeof(T);
  typedef T Vector __attribute__((vector_size(kRegisterBytes)));
  Vector part[kVectors] = {};

  [[gnu::always_inline]] static Vector at(const T* from, int64_t i) {
    Vector v;
    __builtin_memcpy(&v, from + i * (kLanes / kVectors), sizeof v);
    return v;
  }
  [[gnu::always_inline]] void add_products(const T* a, const T* b) {
    for (int64_t i = 0; i < kVectors; ++i) part[i] += at(a, i) * at(b, i);
  }
  [[gnu::always_inline]] void add_scaled(T a, const T* b) {
    for (int64_t i = 0; i < kVectors; ++i) part[i] += a * at(b, i);
  }
  [[gnu::always_inline]] void store(T* to) const { __builtin_memcpy(to, part, sizeof part); }
};

template <class T>
inline void fetch(const T* row, int64_t d) {
  for (int64_t c = 0; c < d; c += Group<T>::kLanes) __builtin_prefetch(row + c);
}

template <class T>
void dot(void* out, const void* x_, const void* w_, const int64_t* index, int64_t k, int64_t d, bool fetches) {
  constexpr int64_t kLanes = Group<T>::kLanes;
  T* o = static_cast<T*>(out);
  const T *x = static_cast<const T*>(x_), *w = static_cast<const T*>(w_);
  for (int64_t j = 0; j < k; ++j) {
    if (fetches) fetch(w + index[j + kAhead] * d, d);
    const T* row = w + index[j] * d;
    Group<T> sum;
    int64_t c = 0;
    for (; c + kLanes <= d; c += kLanes) sum.add_products(x + c, row + c);
    T lane[kLanes];
    sum.store(lane);
    for (int64_t l = 0; c + l < d; ++l) lane[l] += x[c + l] * row[c + l];
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t l = 0; l < half; ++l) lane[l] += lane[l + half];
    o[j] = lane[0];
  }
}

template <class T>
void combine(void* out, const void* g_, const void* w_, const int64_t* index, int64_t k, int64_t d, bool fetches) {
  constexpr int64_t kLanes = Group<T>::kLanes;
  T* o = static_cast<T*>(out);
  const T *g = static_cast<const T*>(g_), *w = static_cast<const T*>(w_);
  if (fetches)
    for (int64_t j = 0; j < k; ++j) fetch(w + index[k + j] * d, d);  // those of the next row
  int64_t c = 0;
  for (; c + kLanes <= d; c += kLanes) {
    Group<T> sum;
    for (int64_t j = 0; j < k; ++j) sum.add_scaled(g[j], w + index[j] * d + c);
    sum.store(o + c);
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
