// Windows of pooling, several of them side by side. Compiled once per instruction set.
#include <cstdint>

#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/ivdep.h"

namespace {

constexpr int64_t kLanes = 32;

// One block of up to kLanes windows; with `step` a constant the loads are vectors.
template <class T, bool wants_index>
inline void max_block(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count,
                      int64_t n, int64_t step) {
  T best[kLanes];
  int32_t where[kLanes];
  for (int64_t l = 0; l < n; ++l) best[l] = x[at[0] + l * step], where[l] = place[0];
  for (int64_t e = 1; e < count; ++e) {
    const T* v = x + at[e];
    const int32_t here = place[e];
    for (int64_t l = 0; l < n; ++l) {
      const T b = best[l], w = v[l * step];
      const bool better = !(w <= b) & (b == b);  // the first NaN stays
      best[l] = better ? w : b;
      if (wants_index) where[l] = better ? here : where[l];
    }
  }
  for (int64_t l = 0; l < n; ++l) y[l] = best[l];
  if (wants_index)
    for (int64_t l = 0; l < n; ++l) index[l] = where[l];
}

template <class T, bool wants_index>
void max_windows(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
                 int64_t step) {
  int64_t i = 0;
  if (step == 1)
    for (; i + kLanes <= n; i += kLanes)
      max_block<T, wants_index>(y + i, index + i, x + i, at, place, count, kLanes, 1);
  if (step == 2)
    for (; i + kLanes <= n; i += kLanes)
      max_block<T, wants_index>(y + i, index + i, x + i * 2, at, place, count, kLanes, 2);
  for (; i < n; i += kLanes) {
    const int64_t m = n - i < kLanes ? n - i : kLanes;
    max_block<T, wants_index>(y + i, index + i, x + i * step, at, place, count, m, step);
  }
}

template <class T>
void pool_max(void* y, int32_t* index, const void* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
              int64_t step) {
  if (index)
    max_windows<T, true>(static_cast<T*>(y), index, static_cast<const T*>(x), at, place, count, n, step);
  else
    max_windows<T, false>(static_cast<T*>(y), index, static_cast<const T*>(x), at, place, count, n, step);
}

// Large windows are added in groups of elements, whose sums are added.
template <class T>
inline void sum_block(T* y, const T* x, const int64_t* at, int64_t count, T weight, int64_t n, int64_t step) {
  constexpr int64_t kGroup = 32;
  T total[kLanes] = {};
  for (int64_t e = 0; e < count;) {
    const int64_t end = count - e < kGroup ? count : e + kGroup;
    T group[kLanes] = {};
    for (; e < end; ++e)
      for (int64_t l = 0; l < n; ++l) group[l] += x[at[e] + l * step];
    for (int64_t l = 0; l < n; ++l) total[l] += group[l];
  }
  for (int64_t l = 0; l < n; ++l) y[l] = total[l] * weight;
}

template <class T>
void pool_sum(void* y_, const void* x_, const int64_t* at, int64_t count, double weight, int64_t n, int64_t step) {
  T* y = static_cast<T*>(y_);
  const T *x = static_cast<const T*>(x_), w = static_cast<T>(weight);
  int64_t i = 0;
  if (step == 1)
    for (; i + kLanes <= n; i += kLanes) sum_block(y + i, x + i, at, count, w, kLanes, 1);
  for (; i < n; i += kLanes) sum_block(y + i, x + i * step, at, count, w, n - i < kLanes ? n - i : kLanes, step);
}

template <class T>
void pool_scatter(void* gx_, const void* gy_, const int32_t* index, const int64_t* at, const int32_t* place,
                  int64_t count, int64_t n) {
  T* gx = static_cast<T*>(gx_);
  const T* gy = static_cast<const T*>(gy_);
  if (count == 0) {
    for (int64_t i = 0; i < n; ++i) gx[i] = 0;
    return;
  }
  for (int64_t e = 0; e < count; ++e) {
    const T* g = gy + at[e];
    const int32_t *chosen = index + at[e], here = place[e];
    if (e == 0) {
      CHAINER_IVDEP
      for (int64_t i = 0; i < n; ++i) gx[i] = chosen[i] == here ? g[i] : T(0);
    } else {
      CHAINER_IVDEP
      for (int64_t i = 0; i < n; ++i) gx[i] += chosen[i] == here ? g[i] : T(0);
    }
  }
}

template <class T>
void pool_spread(void* gx_, const void* gy_, const int64_t* at, const double* weight, int64_t count, int64_t n) {
  T* gx = static_cast<T*>(gx_);
  const T* gy = static_cast<const T*>(gy_);
  for (int64_t i = 0; i < n; ++i) gx[i] = 0;
  for (int64_t e = 0; e < count; ++e) {
    const T *g = gy + at[e], w = static_cast<T>(weight[e]);
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) gx[i] += w * g[i];
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_pooling(ImageKernels& k) {
  k.pool_max[0] = pool_max<float>;
  k.pool_max[1] = pool_max<double>;
  k.pool_sum[0] = pool_sum<float>;
  k.pool_sum[1] = pool_sum<double>;
  k.pool_scatter[0] = pool_scatter<float>;
  k.pool_scatter[1] = pool_scatter<double>;
  k.pool_spread[0] = pool_spread<float>;
  k.pool_spread[1] = pool_spread<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
