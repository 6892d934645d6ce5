// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/moments.h"

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
  for (int64_t m = p.begin + threadIdx.x / a.wide; m < p.end; m += MomentsArgs::kThreads / a.wide)
    f((m / a.inner * a.keys + p.key) * a.inner + m % a.inner);
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
  for (int64_t i = first_element(); i < a.size; i += element_step()) {
    const int64_t k = i / a.inner % a.keys;
    static_cast<T*>(a.gx)[i] = static_cast<T>(a.a[k] * (gy[i] - a.b[k]) - a.c[k] * (x[i] - a.mean[k]));
  }
}

}  // namespace

KERNEL(moments_float32, MomentsArgs) { moments<float>(a); }
KERNEL(moments_float64, MomentsArgs) { moments<double>(a); }
KERNEL(moments_grad_float32, MomentsArgs) { moments_grad<float>(a); }
KERNEL(moments_grad_float64, MomentsArgs) { moments_grad<double>(a); }
KERNEL(centered_combination_float32, CombinationArgs) { combination<float>(a); }
KERNEL(centered_combination_float64, CombinationArgs) { combination<double>(a); }

// Merges the moments of two sets: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
// sample variances".
KERNEL(merge_moments, MomentsMergeArgs) {
  for (int64_t key = first_element(); key < a.keys; key += element_step()) {
    double first = a.first[key], second = a.second[key];
    for (uint32_t p = 1; p < a.parts; ++p) {
      const double more = a.first[p * a.keys + key], more_second = a.second[p * a.keys + key];
      if (a.sums) {
        first += more, second += more_second;
        continue;
      }
      const int64_t n = a.count * p / a.parts, both = a.count * (p + 1) / a.parts;
      const double distance = more - first, share = static_cast<double>(both - n) / static_cast<double>(both);
      first += distance * share;
      second += more_second + distance * distance * share * static_cast<double>(n);
    }
    a.total_first[key] = first, a.total_second[key] = second;
  }
}

}  // namespace chainer::cuda
