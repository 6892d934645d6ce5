// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/maxout.h"

#include <limits>

#include "chainer/core/ivdep.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

// Calls f(first element of a pool, pool), with k a constant where it is small.
template <int kPool, class F>
void for_pools(const MaxoutPools& p, int64_t begin, int64_t end, F f) {
  const int64_t k = kPool ? kPool : p.k;
  for (int64_t o = begin; o < end; ++o)
    for (int64_t i = 0; i < p.inner; ++i) f(o * k * p.inner + i, o * p.inner + i, k);
}
template <class F>
void all_pools(const MaxoutPools& p, F f) {
  cpu::parallel_ranges(p.outer, p.outer * p.k * p.inner, 1, [&](int64_t begin, int64_t end) {
    switch (p.k) {
      case 2: return for_pools<2>(p, begin, end, f);
      case 3: return for_pools<3>(p, begin, end, f);
      case 4: return for_pools<4>(p, begin, end, f);
      default: return for_pools<0>(p, begin, end, f);
    }
  });
}
// The largest; NaN where there is one.
template <class T, int kPool>
void largest_of_adjacent(const T* x, T* y, int64_t pools) {
  for (int64_t o = 0; o < pools; ++o) {
    T best = x[o * kPool];
    int nan = best != best;
    for (int j = 1; j < kPool; ++j) {
      const T v = x[o * kPool + j];
      best = v > best ? v : best;
      nan |= v != v;
    }
    y[o] = nan ? std::numeric_limits<T>::quiet_NaN() : best;
  }
}
template <class T>
void largest(const MaxoutPools& p, const T* x, T* y) {
  const auto adjacent = p.k == 2   ? largest_of_adjacent<T, 2>
                        : p.k == 3 ? largest_of_adjacent<T, 3>
                        : p.k == 4 ? largest_of_adjacent<T, 4>
                                   : nullptr;
  if (p.inner == 1 && adjacent)
    return cpu::parallel_ranges(p.outer, p.outer * p.k, 1,
                                [&](int64_t begin, int64_t end) { adjacent(x + begin * p.k, y + begin, end - begin); });
  all_pools(p, [=, step = p.inner](int64_t at, int64_t pool, int64_t k) {
    T best = x[at];
    for (int64_t j = 1; j < k; ++j) {
      const T v = x[at + j * step];
      best = best == best && !(v <= best) ? v : best;
    }
    y[pool] = best;
  });
}
// All elements that are like the largest get its gradient.
template <class T, int kPool>
void gradient_of_adjacent(const T* x, const T* y, const T* gy, T* gx, int64_t pools) {
  CHAINER_IVDEP
  for (int64_t o = 0; o < pools; ++o)
    for (int j = 0; j < kPool; ++j) gx[o * kPool + j] = x[o * kPool + j] == y[o] ? gy[o] : T(0);
}
template <class T>
void gradient(const MaxoutPools& p, const T* x, const T* y, const T* gy, T* gx) {
  const auto adjacent = p.k == 2   ? gradient_of_adjacent<T, 2>
                        : p.k == 3 ? gradient_of_adjacent<T, 3>
                        : p.k == 4 ? gradient_of_adjacent<T, 4>
                                   : nullptr;
  if (p.inner == 1 && adjacent)
    return cpu::parallel_ranges(p.outer, p.outer * p.k, 1, [&](int64_t begin, int64_t end) {
      adjacent(x + begin * p.k, y + begin, gy + begin, gx + begin * p.k, end - begin);
    });
  all_pools(p, [=, step = p.inner](int64_t at, int64_t pool, int64_t k) {
    for (int64_t j = 0; j < k; ++j) gx[at + j * step] = x[at + j * step] == y[pool] ? gy[pool] : T(0);
  });
}

}  // namespace

void maxout(const MaxoutPools& pools, const Array& x, Array& y) {
  if (x.dtype() == Dtype::float64)
    largest(pools, x.data<double>(), y.mutable_data<double>());
  else
    largest(pools, x.data<float>(), y.mutable_data<float>());
}

void maxout_grad(const MaxoutPools& pools, const Array& x, const Array& y, const Array& gy, Array& gx) {
  if (x.dtype() == Dtype::float64)
    gradient(pools, x.data<double>(), y.data<double>(), gy.data<double>(), gx.mutable_data<double>());
  else
    gradient(pools, x.data<float>(), y.data<float>(), gy.data<float>(), gx.mutable_data<float>());
}

}  // namespace chainer::host_kernels
