// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/reduce.h"

namespace chainer::cuda {
namespace {

enum Reduction { sum, prod, max, min };

template <class T>
inline constexpr bool is_double = T(0.5) != T(0);

template <class T, Reduction op>
DEVICE T start() {
  if (op == sum) return T(0);
  if (op == prod) return T(1);
  if constexpr (is_double<T>)
    return op == max ? -(1e308 * 10) : 1e308 * 10;
  else
    return op == max ? -0x7fffffffffffffff - 1 : 0x7fffffffffffffff;
}
template <class T, Reduction op>
DEVICE T combined(T a, T b) {
  if (op == sum) return a + b;
  if (op == prod) return a * b;
  if (a != a || b != b) return a != a ? a : b;  // NaN wins
  return op == max ? (a > b ? a : b) : (a < b ? a : b);
}

// A thread's share of a block: one of `wide` results, and every step-th element from `first` to before `end`.
struct Share {
  uint32_t key, lane, lanes, begin, end;
  DEVICE explicit Share(const ReduceArgs& a) {
    lanes = ReduceArgs::kThreads / a.wide;
    key = a.columns ? threadIdx.x % a.wide : threadIdx.x / lanes;
    lane = a.columns ? threadIdx.x / a.wide : threadIdx.x % lanes;
    begin = static_cast<uint32_t>(uint64_t(a.reduced.size) * blockIdx.y / a.parts);
    end = static_cast<uint32_t>(uint64_t(a.reduced.size) * (blockIdx.y + 1) / a.parts);
  }
};

// The elements of result i. A constant `type` lets several loads be in flight.
template <class T, Type type, bool is_strided>
struct Elements {
  const ReduceArgs& a;
  const char* from;
  int64_t stride;
  DEVICE Elements(const ReduceArgs& args, uint32_t i) : a(args) {
    if (a.from_totals)
      from = a.from_totals + int64_t(i) * 8, stride = int64_t(a.kept.size) * 8;
    else
      from = a.in_kept.data + offset(a.kept, a.in_kept, i), stride = a.in_reduced.stride[0];
  }
  DEVICE T operator[](uint32_t k) const {
    const char* at = from + (is_strided ? k * stride : offset(a.reduced, a.in_reduced, k));
    return load<T>(at, type == Type::int64 ? (a.from_totals ? Type::int64 : a.in_reduced.type) : type);
  }
};

template <class T, Reduction op, class In>
DEVICE T total_of(const In& in, uint32_t first, uint32_t end, uint32_t step) {
  constexpr int kTotals = 4;
  T totals[kTotals], x[kTotals];
  UNROLL for (int n = 0; n < kTotals; ++n) totals[n] = start<T, op>();
  uint32_t k = first;
  for (; k + (kTotals - 1) * step < end; k += kTotals * step) {
    UNROLL for (int n = 0; n < kTotals; ++n) x[n] = in[k + n * step];
    UNROLL for (int n = 0; n < kTotals; ++n) totals[n] = combined<T, op>(totals[n], x[n]);
  }
  for (; k < end; k += step) totals[0] = combined<T, op>(totals[0], in[k]);
  return combined<T, op>(combined<T, op>(totals[0], totals[1]), combined<T, op>(totals[2], totals[3]));
}

template <class T, Type type, Reduction op>
DEVICE void reduce_by(const ReduceArgs& a, T* shared) {
  const Share s(a);
  const bool is_strided = a.from_totals || a.reduced.ndim <= 1;
  for (int64_t tile = blockIdx.x; tile * a.wide < a.kept.size; tile += gridDim.x) {
    const uint32_t i = static_cast<uint32_t>(tile * a.wide) + s.key;
    T total = start<T, op>();
    if (i < a.kept.size)
      total = is_strided ? total_of<T, op>(Elements<T, type, true>(a, i), s.begin + s.lane, s.end, s.lanes)
                         : total_of<T, op>(Elements<T, type, false>(a, i), s.begin + s.lane, s.end, s.lanes);
    T* const mine = shared + s.lane * a.wide + s.key;
    *mine = total;
    __syncthreads();
    for (uint32_t half = s.lanes / 2; half > 0; half /= 2) {
      if (s.lane < half) *mine = combined<T, op>(*mine, mine[half * a.wide]);
      __syncthreads();
    }
    if (s.lane == 0 && i < a.kept.size) {
      if (a.parts > 1)
        reinterpret_cast<T*>(a.totals)[int64_t(blockIdx.y) * a.kept.size + i] = *mine;
      else
        store(a.out.data + offset(a.kept, a.out, i), a.out.type, *mine);
    }
    __syncthreads();
  }
}
template <class T, Type type>
DEVICE void reduce(const ReduceArgs& a) {
  SHARED(T, shared, [ReduceArgs::kThreads]);
  if (a.op == sum)
    reduce_by<T, type, sum>(a, shared);
  else if (a.op == prod)
    reduce_by<T, type, prod>(a, shared);
  else if (a.op == max)
    reduce_by<T, type, max>(a, shared);
  else
    reduce_by<T, type, min>(a, shared);
}

// Returns true if the second element comes before the first: NaN wins, then the larger (smaller), then the lower index.
template <class T>
DEVICE bool is_before(bool largest, T x, int64_t at, T y, int64_t y_at) {
  if (y_at < 0 || at < 0) return at < 0 && y_at >= 0;
  const bool x_nan = x != x, y_nan = y != y;
  if (x_nan != y_nan) return y_nan;
  if (x_nan || x == y) return y_at < at;
  return largest ? y > x : y < x;
}

template <class T>
DEVICE void arg_reduce(const ReduceArgs& a) {
  SHARED(T, values, [ReduceArgs::kThreads]);
  SHARED(int64_t, positions, [ReduceArgs::kThreads]);
  const bool largest = a.op == 0;
  const Share s(a);
  for (int64_t tile = blockIdx.x; tile * a.wide < a.kept.size; tile += gridDim.x) {
    const uint32_t i = static_cast<uint32_t>(tile * a.wide) + s.key;
    const char* const from = a.in_kept.data + offset(a.kept, a.in_kept, i);
    T best = T(0);
    int64_t at = -1;
    for (uint32_t k = s.begin + s.lane; i < a.kept.size && k < s.end; k += s.lanes) {
      const int64_t total = int64_t(k) * a.kept.size + i;
      const T v = a.from_totals ? reinterpret_cast<const T*>(a.from_totals)[total]
                                : load<T>(from + offset(a.reduced, a.in_reduced, k), a.in_reduced.type);
      const int64_t v_at = a.from_totals ? a.from_positions[total] : int64_t(k);
      if (is_before(largest, best, at, v, v_at)) best = v, at = v_at;
    }
    const uint32_t mine = s.lane * a.wide + s.key;
    values[mine] = best, positions[mine] = at;
    __syncthreads();
    for (uint32_t half = s.lanes / 2; half > 0; half /= 2) {
      const uint32_t other = mine + half * a.wide;
      if (s.lane < half && is_before(largest, values[mine], positions[mine], values[other], positions[other]))
        values[mine] = values[other], positions[mine] = positions[other];
      __syncthreads();
    }
    if (s.lane == 0 && i < a.kept.size) {
      const int64_t total = int64_t(blockIdx.y) * a.kept.size + i;
      if (a.parts > 1)
        reinterpret_cast<T*>(a.totals)[total] = values[mine], a.positions[total] = positions[mine];
      else
        store(a.out.data + offset(a.kept, a.out, i), a.out.type, positions[mine]);
    }
    __syncthreads();
  }
}

}  // namespace

KERNEL(reduce_float32, ReduceArgs) { reduce<double, Type::float32>(a); }
KERNEL(reduce_float64, ReduceArgs) { reduce<double, Type::float64>(a); }
KERNEL(reduce_float16, ReduceArgs) { reduce<double, Type::float16>(a); }
KERNEL(reduce_bfloat16, ReduceArgs) { reduce<double, Type::bfloat16>(a); }
KERNEL(reduce_int64, ReduceArgs) { reduce<int64_t, Type::int64>(a); }  // any integers
KERNEL(arg_reduce_float64, ReduceArgs) { arg_reduce<double>(a); }
KERNEL(arg_reduce_int64, ReduceArgs) { arg_reduce<int64_t>(a); }

}  // namespace chainer::cuda
