// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/moments.h"

#include <cmath>

namespace chainer::cuda {
namespace {

// Returns the sum over all threads with this thread's key, added in a tree.
DEVICE double sum_of_key(double* sums, double value, int wide) {
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int half = MomentsArgs::kThreads / 2; half >= wide; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  const double total = sums[t % wide];
  __syncthreads();
  return total;
}

// The elements [begin, end) of a key are a part; f(element in memory) is called for those of this thread.
struct Part {
  int64_t key, begin, end;
};
DEVICE Part part_of(const MomentsArgs& a) {
  const int64_t count = a.outer * a.inner;
  return {int64_t(blockIdx.x) * a.wide + threadIdx.x % a.wide, count * blockIdx.y / a.parts,
          count * (blockIdx.y + 1) / a.parts};
}
template <class F>
DEVICE void over_part(const MomentsArgs& a, const Part& p, F&& f) {
  if (p.key >= a.keys) return;
  const int64_t step = MomentsArgs::kThreads / a.wide, rows = step / a.inner, rest = step % a.inner;
  int64_t m = p.begin + threadIdx.x / a.wide;
  int64_t outer = m / a.inner, inner = m % a.inner;
  const auto next = [&] {
    const int64_t i = (outer * a.keys + p.key) * a.inner + inner;
    m += step, outer += rows, inner += rest;
    if (inner >= a.inner) inner -= a.inner, ++outer;
    return i;
  };
  constexpr int kEach = 4;  // elements loaded at a time
  while (m + (kEach - 1) * step < p.end) {
    int64_t i[kEach];
    UNROLL for (int e = 0; e < kEach; ++e) i[e] = next();
    UNROLL for (int e = 0; e < kEach; ++e) f(i[e]);
  }
  while (m < p.end) f(next());
}
DEVICE void write(const MomentsArgs& a, const Part& p, double first, double second) {
  if (p.key >= a.keys || threadIdx.x >= unsigned(a.wide)) return;
  a.first[blockIdx.y * a.keys + p.key] = first;
  a.second[blockIdx.y * a.keys + p.key] = second;
}

// The mean first, then the differences from it: the part is read twice, the second time from cache.
template <class T>
DEVICE void moments(const MomentsArgs& a) {
  SHARED(double, sums, [MomentsArgs::kThreads]);
  const Part p = part_of(a);
  const T* x = static_cast<const T*>(a.x);
  double total = 0, squares = 0;
  over_part(a, p, [&](int64_t i) { total += x[i]; });
  const double mean = sum_of_key(sums, total, a.wide) / static_cast<double>(p.end - p.begin);
  over_part(a, p, [&](int64_t i) { squares += (x[i] - mean) * (x[i] - mean); });
  write(a, p, mean, sum_of_key(sums, squares, a.wide));
}

template <class T>
DEVICE void moments_grad(const MomentsArgs& a) {
  SHARED(double, sums, [MomentsArgs::kThreads]);
  const Part p = part_of(a);
  const T *x = static_cast<const T*>(a.x), *gy = static_cast<const T*>(a.gy);
  const double mean = p.key < a.keys ? a.mean[p.key] : 0;
  double total = 0, along = 0;
  over_part(a, p, [&](int64_t i) { total += gy[i], along += gy[i] * (x[i] - mean); });
  const double first = sum_of_key(sums, total, a.wide);
  write(a, p, first, sum_of_key(sums, along, a.wide));
}

template <class T>
DEVICE void combination(const CombinationArgs& a) {
  const T *x = static_cast<const T*>(a.x), *gy = static_cast<const T*>(a.gy);
  for (int64_t n = first_element(); n < a.size; n += element_step()) {
    int64_t k = 0;
    if (a.size >> 31 == 0) {
      const uint32_t row = a.by_inner.quotient(static_cast<uint32_t>(n));
      k = row - a.by_keys.quotient(row) * a.by_keys.divisor;
    } else {
      k = n / a.inner % a.keys;
    }
    static_cast<T*>(a.gx)[n] = static_cast<T>(a.a[k] * (gy[n] - a.b[k]) - a.c[k] * (x[n] - a.mean[k]));
  }
}

// The moments of a set of n elements, or its sums.
struct Moments {
  double n, first, second;
  // Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances".
  DEVICE void merge(const Moments& other, bool sums) {
    if (sums) {
      first += other.first, second += other.second;
      return;
    }
    if (other.n == 0) return;
    const double both = n + other.n, distance = other.first - first, share = other.n / both;
    first += distance * share;
    second += other.second + distance * distance * share * n;
    n = both;
  }
};

// Merges the parts of a key: lanes take every 32nd part, and are then merged in a tree.
DEVICE Moments merged(const MomentsMergeArgs& a, int64_t key) {
  Moments total{0, 0, 0};
  for (uint32_t p = threadIdx.x; p < a.parts; p += 32) {
    const int64_t begin = a.count * p / a.parts, end = a.count * (p + 1) / a.parts;
    total.merge({static_cast<double>(end - begin), a.first[p * a.keys + key], a.second[p * a.keys + key]}, a.sums);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    Moments other;
    other.n = __shfl_down_sync(0xffffffffu, total.n, distance);
    other.first = __shfl_down_sync(0xffffffffu, total.first, distance);
    other.second = __shfl_down_sync(0xffffffffu, total.second, distance);
    if (threadIdx.x + distance < 32) total.merge(other, a.sums);
  }
  return total;
}
// Calls f(key, its moments) in one lane for each key.
template <class F>
DEVICE void over_keys(const MomentsMergeArgs& a, F&& f) {
  for (int64_t key = int64_t(blockIdx.x) * MomentsMergeArgs::kWarps + threadIdx.y; key < a.keys;
       key += int64_t(gridDim.x) * MomentsMergeArgs::kWarps) {
    const Moments m = merged(a, key);
    if (threadIdx.x != 0) continue;
    if (a.total_first) a.total_first[key] = m.first;
    if (a.total_second) a.total_second[key] = m.second;
    f(key, m);
  }
}

DEVICE char* address(const KeyArray& a, int64_t key) {
  return a.data + key * (a.type == Type::float64 ? 8 : a.type == Type::float32 ? 4 : 2);
}
DEVICE double get(const KeyArray& a, int64_t key) { return load<double>(address(a, key), a.type); }
DEVICE void put(const KeyArray& a, int64_t key, double v) { store(address(a, key), a.type, v); }
DEVICE void blend(const KeyArray& a, int64_t key, double decay, double v) {
  if (a.data) put(a, key, decay * get(a, key) + (1 - decay) * v);
}

// The sum over a row's threads, in all of them; `sums` has room for all threads of the block.
DEVICE double sum_of_row(double* sums, double value, int lane, int lanes) {
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (lane < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const double total = sums[threadIdx.x - lane];
  __syncthreads();
  return total;
}

template <class T>
DEVICE void standardize(const RowsMomentsArgs& a) {
  SHARED(double, sums, [RowsMomentsArgs::kThreads]);
  const int lanes = RowsMomentsArgs::kThreads / a.wide, lane = threadIdx.x % lanes;
  const double share = 1 / static_cast<double>(a.d);
  for (int64_t tile = blockIdx.x; tile * a.wide < a.n; tile += gridDim.x) {
    const int64_t row = tile * a.wide + threadIdx.x / lanes, d = row < a.n ? a.d : 0;
    const T* const x = static_cast<const T*>(a.x) + row * a.d;
    T* const y = static_cast<T*>(a.y) + row * a.d;
    if (!a.gy) {
      double total = 0;
      for (int64_t k = lane; k < d; k += lanes) total += x[k];
      const double mean = sum_of_row(sums, total, lane, lanes) * share;
      double squares = 0;
      for (int64_t k = lane; k < d; k += lanes) squares += (x[k] - mean) * (x[k] - mean);
      const double rstd = 1 / sqrt(sum_of_row(sums, squares, lane, lanes) * share + a.eps);
      for (int64_t k = lane; k < d; k += lanes) y[k] = static_cast<T>((x[k] - mean) * rstd);
      if (lane == 0 && row < a.n) a.rstd[row] = rstd;
    } else {
      const T* const gy = static_cast<const T*>(a.gy) + row * a.d;
      double sum = 0, along = 0;
      for (int64_t k = lane; k < d; k += lanes) sum += gy[k], along += static_cast<double>(gy[k]) * x[k];
      const double mean = sum_of_row(sums, sum, lane, lanes) * share;
      along = sum_of_row(sums, along, lane, lanes) * share;
      const double rstd = row < a.n ? a.rstd[row] : 0;
      for (int64_t k = lane; k < d; k += lanes) y[k] = static_cast<T>((gy[k] - mean - x[k] * along) * rstd);
    }
  }
}

}  // namespace

KERNEL(moments_float32, MomentsArgs) { moments<float>(a); }
KERNEL(moments_float64, MomentsArgs) { moments<double>(a); }
KERNEL(moments_grad_float32, MomentsArgs) { moments_grad<float>(a); }
KERNEL(moments_grad_float64, MomentsArgs) { moments_grad<double>(a); }
KERNEL(centered_combination_float32, CombinationArgs) { combination<float>(a); }
KERNEL(centered_combination_float64, CombinationArgs) { combination<double>(a); }

KERNEL(merge_moments, MomentsMergeArgs) {
  over_keys(a, [](int64_t, const Moments&) {});
}
KERNEL(batch_factors, FactorsArgs) {
  over_keys(a.merge, [&](int64_t key, const Moments& m) {
    const double n = static_cast<double>(a.merge.count), variance = m.second / n;
    const double rstd = 1 / sqrt(variance + a.eps);
    a.rstd[key] = rstd;
    put(a.scale, key, get(a.gamma, key) * rstd);
    blend(a.running_mean, key, a.decay, m.first);
    blend(a.running_var, key, a.decay, variance * (n / (n > 2 ? n - 1 : 1)));
  });
}
KERNEL(batch_gradient_factors, GradientFactorsArgs) {
  over_keys(a.merge, [&](int64_t key, const Moments& m) {
    const double rstd = a.rstd[key], slope = get(a.gamma, key) * rstd, share = 1 / static_cast<double>(a.merge.count);
    a.a[key] = slope, a.b[key] = m.first * share, a.c[key] = slope * rstd * rstd * m.second * share;
    put(a.ggamma, key, m.second * rstd);
    put(a.gbeta, key, m.first);
  });
}
KERNEL(standardize_float32, RowsMomentsArgs) { standardize<float>(a); }
KERNEL(standardize_float64, RowsMomentsArgs) { standardize<double>(a); }

}  // namespace chainer::cuda
