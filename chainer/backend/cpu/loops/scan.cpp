// SPDX-License-Identifier: MIT
// Operations along one axis: positions of extremes, cumulative sums and products.
#include <bit>
#include <type_traits>

#include "chainer/backend/common/loop.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// Returns the position of the extreme, or of the first NaN.
template <class T, class V>
int64_t arg_of_strided(bool largest, const T* x, int64_t n, int64_t step) {
  V best = x[0];
  int64_t at = 0;
  for (int64_t j = 1; j < n; ++j) {
    const V v = x[j * step];
    const bool take = (best == best) & ((largest ? v > best : v < best) | (v != v));
    best = take ? v : best;
    at = take ? j : at;
  }
  return at;
}
// As above, for at most 64 elements, without unpredictable branches: uses one bit per element that equals the extreme.
template <class T, class V>
int64_t arg_of_few(bool largest, const T* x, int64_t n, int64_t step) {
  V best = x[0];
  if (largest)
    for (int64_t j = 1; j < n; ++j) best = static_cast<V>(x[j * step]) > best ? static_cast<V>(x[j * step]) : best;
  else
    for (int64_t j = 1; j < n; ++j) best = static_cast<V>(x[j * step]) < best ? static_cast<V>(x[j * step]) : best;
  uint64_t like = 0, nan = 0;
  for (int64_t j = 0; j < n; ++j) {
    const V v = x[j * step];
    like |= static_cast<uint64_t>(v == best) << j;
    nan |= static_cast<uint64_t>(v != v) << j;
  }
  return std::countr_zero(nan ? nan : like);
}
// For a long contiguous row: finds the extreme by its kernel, then the first element equal to it.
template <class T>
int64_t arg_of_row(RowKernel extreme, const T* x, int64_t n) {
  std::conditional_t<std::is_integral_v<T>, int64_t, double> found;
  extreme(&found, x, n);
  const T best = static_cast<T>(found);
  constexpr int64_t kRun = 64;
  int64_t j = 0;
  for (; j + kRun <= n; j += kRun) {
    int any = 0;
    for (int64_t i = j; i < j + kRun; ++i) any |= x[i] == best || x[i] != x[i];
    if (any) break;
  }
  while (j + 1 < n && !(x[j] == best || x[j] != x[j])) ++j;
  return j;
}

}  // namespace

void CpuBackend::arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) {
  const Strides strides = a.strides();
  Shape kept;
  Strides kept_in;
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis) kept.push_back(a.shape()[d]), kept_in.push_back(strides[d]);
  const Strides kept_out = contiguous_strides(kept);
  const Loop<2> loop = make_loop<2>(kept, {&kept_in, &kept_out}, 2);
  const int64_t n = a.shape()[axis], step = strides[axis];
  int64_t* o = out.mutable_data<int64_t>();
  const RowKernel extreme =
      kernels().row[compute_type(a.dtype())][static_cast<int>(op == ArgReduce::argmax ? Reduce::max : Reduce::min)];
  visit(a.dtype(), "argmax", [&]<class T>() {
    using V = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;
    const T* p = static_cast<const T*>(a.raw());
    parallel_ranges(loop.size, loop.size * n, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* x = p + offset_of(loop, 0, i);
        int64_t& at = o[offset_of(loop, 1, i)];
        if (n <= 64) {
          at = arg_of_few<T, V>(op == ArgReduce::argmax, x, n, step);
          continue;
        }
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int64_t>) {
          if (step == 1) {
            at = arg_of_row<T>(extreme, x, n);
            continue;
          }
        }
        at = arg_of_strided<T, V>(op == ArgReduce::argmax, x, n, step);
      }
    });
  });
}

void CpuBackend::scan(Scan op, const Array& a, int axis, Array& out) {
  const Strides in = a.strides(), to = out.strides();
  Shape kept;
  Strides kept_in, kept_out;
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis) kept.push_back(a.shape()[d]), kept_in.push_back(in[d]), kept_out.push_back(to[d]);
  const Loop<2> loop = make_loop<2>(kept, {&kept_in, &kept_out}, 2);
  const int64_t n = a.shape()[axis];
  // Input and output have the same dtype; 16-bit floats are accumulated in float, integers wrap as in NumPy.
  visit<NumberTypes>(out.dtype(), "cumsum", [&]<class T>() {
    using V = std::conditional_t<std::is_floating_point_v<T> || std::is_integral_v<T>, T, float>;
    const T* p = static_cast<const T*>(a.raw());
    T* o = static_cast<T*>(out.mutable_raw());
    for (int64_t i = 0; i < loop.size; ++i) {
      const T* x = p + offset_of(loop, 0, i);
      T* y = o + offset_of(loop, 1, i);
      V total = op == Scan::cumsum ? V(0) : V(1);
      for (int64_t j = 0; j < n; ++j) {
        const V v = static_cast<V>(x[j * in[axis]]);
        if constexpr (std::is_integral_v<V>) {
          const auto before = static_cast<uint64_t>(total), next = static_cast<uint64_t>(v);
          total = static_cast<V>(op == Scan::cumsum ? before + next : before * next);
        } else {
          total = op == Scan::cumsum ? total + v : total * v;
        }
        y[j * to[axis]] = static_cast<T>(total);
      }
    }
  });
}

}  // namespace chainer::cpu
