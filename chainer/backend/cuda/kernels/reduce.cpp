// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/reduce.h"

namespace chainer::cuda {
namespace {

enum Reduction { sum, prod, max, min };

template <class T>
inline constexpr bool is_double = T(0.5) != T(0);

template <class T>
DEVICE T start(int op) {
  if (op == sum) return T(0);
  if (op == prod) return T(1);
  if constexpr (is_double<T>)
    return op == max ? -(1e308 * 10) : 1e308 * 10;
  else
    return op == max ? -0x7fffffffffffffff - 1 : 0x7fffffffffffffff;
}
template <class T>
DEVICE T combined(int op, T a, T b) {
  if (op == sum) return a + b;
  if (op == prod) return a * b;
  if (a != a || b != b) return a != a ? a : b;  // NaN wins
  return op == max ? (a > b ? a : b) : (a < b ? a : b);
}

// Returns the partial result of thread `first` of `step` threads for result number i.
template <class T>
DEVICE T part(const ReduceArgs& a, uint32_t i, uint32_t first, uint32_t step) {
  const char* from = a.in_kept.data + offset(a.kept, a.in_kept, i);
  T total = start<T>(a.op);
  for (uint32_t k = first; k < a.reduced.size; k += step)
    total = combined(a.op, total, load<T>(from + offset(a.reduced, a.in_reduced, k), a.in_reduced.type));
  return total;
}
template <class T>
DEVICE void write(const ReduceArgs& a, uint32_t i, T value) {
  store(a.out.data + offset(a.kept, a.out, i), a.out.type, value);
}

// One block of 256 threads per result.
template <class T>
DEVICE void reduce_by_blocks(const ReduceArgs& a) {
  SHARED(T, totals, [256]);
  for (uint32_t i = blockIdx.x; i < a.kept.size; i += gridDim.x) {
    totals[threadIdx.x] = part<T>(a, i, threadIdx.x, 256);
    __syncthreads();
    for (uint32_t half = 128; half > 0; half /= 2) {
      if (threadIdx.x < half) totals[threadIdx.x] = combined(a.op, totals[threadIdx.x], totals[threadIdx.x + half]);
      __syncthreads();
    }
    if (threadIdx.x == 0) write(a, i, totals[0]);
    __syncthreads();
  }
}

// One warp per result, four warps per block.
template <class T>
DEVICE void reduce_by_warps(const ReduceArgs& a) {
  for (uint32_t i = blockIdx.x * 4 + threadIdx.y; i < a.kept.size; i += gridDim.x * 4) {
    T total = part<T>(a, i, threadIdx.x, 32);
    for (int distance = 16; distance > 0; distance /= 2)
      total = combined(a.op, total, __shfl_down_sync(0xffffffffu, total, distance));
    if (threadIdx.x == 0) write(a, i, total);
  }
}

// Returns true if the second element comes before the first: NaN wins, then the larger (smaller), then the lower index.
template <class T>
DEVICE bool is_before(bool largest, T x, int64_t at, T y, int64_t y_at) {
  if (y_at < 0 || at < 0) return at < 0;
  const bool x_nan = x != x, y_nan = y != y;
  if (x_nan != y_nan) return y_nan;
  if (x_nan || x == y) return y_at < at;
  return largest ? y > x : y < x;
}

// One warp per index, four warps per block.
template <class T>
DEVICE void arg_reduce(const ReduceArgs& a) {
  const bool largest = a.op == 0;
  for (uint32_t i = blockIdx.x * 4 + threadIdx.y; i < a.kept.size; i += gridDim.x * 4) {
    const char* from = a.in_kept.data + offset(a.kept, a.in_kept, i);
    T best = T(0);
    int64_t at = -1;
    for (uint32_t k = threadIdx.x; k < a.reduced.size; k += 32) {
      const T v = load<T>(from + offset(a.reduced, a.in_reduced, k), a.in_reduced.type);
      if (is_before(largest, best, at, v, int64_t(k))) best = v, at = k;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      const T v = __shfl_down_sync(0xffffffffu, best, distance);
      const int64_t v_at = __shfl_down_sync(0xffffffffu, at, distance);
      if (is_before(largest, best, at, v, v_at)) best = v, at = v_at;
    }
    if (threadIdx.x == 0) write(a, i, at);
  }
}

}  // namespace

KERNEL(reduce_by_blocks_float64, ReduceArgs) { reduce_by_blocks<double>(a); }
KERNEL(reduce_by_blocks_int64, ReduceArgs) { reduce_by_blocks<int64_t>(a); }
KERNEL(reduce_by_warps_float64, ReduceArgs) { reduce_by_warps<double>(a); }
KERNEL(reduce_by_warps_int64, ReduceArgs) { reduce_by_warps<int64_t>(a); }
KERNEL(arg_reduce_float64, ReduceArgs) { arg_reduce<double>(a); }
KERNEL(arg_reduce_int64, ReduceArgs) { arg_reduce<int64_t>(a); }

}  // namespace chainer::cuda
