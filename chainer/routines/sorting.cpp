// SPDX-License-Identifier: MIT
#include "chainer/routines/sorting.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/index.h"
#include "chainer/array/positions.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer {
namespace {

// Compares with NaN last.
template <class T>
bool before(T a, T b) {
  return a < b || (b != b && a == a);
}

Array argsort_here(const Array& dense) {
  Array order(dense.shape(), int64);
  const int64_t n = dense.shape()[dense.ndim() - 1];
  int64_t* const o = order.mutable_data<int64_t>();
  visit(dense.dtype(), "sort", [&]<class T>() {
    using V = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    const T* const p = static_cast<const T*>(dense.raw());
    for (int64_t at = 0; n && at < dense.size(); at += n) {
      std::iota(o + at, o + at + n, int64_t(0));
      std::stable_sort(o + at, o + at + n, [&](int64_t a, int64_t b) { return before<V>(p[at + a], p[at + b]); });
    }
  });
  return order;
}

Array argsort_last(const Array& dense) {
  Array order(dense.shape(), int64, dense.device());
  return dense.device().backend().argsort(dense, order) ? order : through_host(argsort_here, dense);
}

// The elements of each row (the last axis) in an order.
Array in_order(const Array& dense, const Array& order) {
  const int64_t n = dense.shape()[dense.ndim() - 1];
  if (dense.size() == 0) return dense;
  const Array begins = positions_below(dense.size() / n, dense.device()) * n;
  const Array flat = order.reshape({-1, n}) + begins.reshape({-1, 1});
  Array out(dense.shape(), dense.dtype(), dense.device()), list = out.ravel();
  dense.device().backend().take_rows(dense.ravel(), flat.ravel(), list);
  return out;
}

}  // namespace

Array argsort(const Array& a, int64_t axis) {
  if (a.ndim() == 0) throw ValueError("argsort: the array must have at least one axis");
  const int d = normalize_axis(axis, a.ndim(), "argsort");
  return swapaxes(argsort_last(swapaxes(a, d, -1).contiguous()), d, -1);
}

Array sort(const Array& a, int64_t axis) {
  if (a.ndim() == 0) throw ValueError("sort: the array must have at least one axis");
  const int d = normalize_axis(axis, a.ndim(), "sort");
  const Array dense = swapaxes(a, d, -1).contiguous();
  return swapaxes(in_order(dense, argsort_last(dense)), d, -1);
}

Unique unique(const Array& a) {
  const Array flat = a.ravel().contiguous();
  const int64_t n = flat.size();
  const Device device = a.device();
  if (n == 0) return {flat, Array(a.shape(), int64, device), Array(Shape{0}, int64, device)};
  const Array order = argsort_last(flat), sorted = in_order(flat, order);
  Array is_first = ones({n}, bool_, device);
  if (n > 1)
    is_first.set({Slice(1, std::nullopt)}, not_equal(sorted[{Slice(1, std::nullopt)}], sorted[{Slice(0, -1)}]));
  const Array first = nonzero_positions(is_first)[0];
  Array inverse(Shape{n}, int64, device);
  device.backend().scatter_rows(inverse, order, cumsum(is_first.astype(int64), 0) - 1, false);
  const Array ends = concatenate({first[{Slice(1, std::nullopt)}], full({1}, n, int64, device)}, 0);
  return {sorted[{first}], inverse.reshape(a.shape()), ends - first};
}

Arrays nonzero(const Array& a) { return nonzero_positions(not_equal(a, 0)); }

}  // namespace chainer
