// SPDX-License-Identifier: MIT
#include "chainer/routines/sorting.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "chainer/array/host.h"
#include "chainer/array/index.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {

// Compares with NaN last.
template <class T>
bool before(T a, T b) {
  return a < b || (b != b && a == a);
}

// Runs f(elements, positions, n) for every row along the last axis; positions are initially 0, 1, ...
template <class F>
void for_rows(const Array& dense, Array& order, F&& f) {
  const int64_t n = dense.shape()[dense.ndim() - 1];
  int64_t* o = order.mutable_data<int64_t>();
  visit(dense.dtype(), "sort", [&]<class T>() {
    const T* p = static_cast<const T*>(dense.raw());
    for (int64_t at = 0; n && at < dense.size(); at += n) {
      std::iota(o + at, o + at + n, int64_t(0));
      f(p + at, o + at, n);
    }
  });
}

Array argsort_last(const Array& dense) {
  Array order(dense.shape(), int64);
  for_rows(dense, order, [](const auto* p, int64_t* o, int64_t n) {
    using T = std::remove_cvref_t<decltype(*p)>;
    using V = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    std::stable_sort(o, o + n, [&](int64_t a, int64_t b) { return before<V>(p[a], p[b]); });
  });
  return order;
}

}  // namespace

Array argsort(const Array& a, int64_t axis) {
  if (a.ndim() == 0) throw ValueError("argsort: the array must have at least one axis");
  if (!a.device().is_host()) return through_host([&](const Array& x) { return argsort(x, axis); }, a);
  const int d = normalize_axis(axis, a.ndim(), "argsort");
  return swapaxes(argsort_last(swapaxes(a, d, -1).contiguous()), d, -1);
}

Array sort(const Array& a, int64_t axis) {
  if (a.ndim() == 0) throw ValueError("sort: the array must have at least one axis");
  if (!a.device().is_host()) return through_host([&](const Array& x) { return sort(x, axis); }, a);
  const int d = normalize_axis(axis, a.ndim(), "sort");
  const Array dense = swapaxes(a, d, -1).contiguous();
  const Array order = argsort_last(dense);
  Array out(dense.shape(), a.dtype());
  const int64_t n = dense.shape()[dense.ndim() - 1];
  const int64_t* o = order.data<int64_t>();
  visit(a.dtype(), "sort", [&]<class T>() {
    const T* p = dense.data<T>();
    T* q = out.mutable_data<T>();
    for (int64_t i = 0; i < dense.size(); ++i) q[i] = p[i / n * n + o[i]];
  });
  return swapaxes(out, d, -1);
}

Unique unique(const Array& a) {
  const Device device = a.device();
  if (!device.is_host()) {
    const Unique u = unique(to_host(a));
    return {u.values.to_device(device), u.inverse.to_device(device), u.counts.to_device(device)};
  }
  const Array flat = a.ravel().contiguous();
  const int64_t n = flat.size();
  const Array order = n ? argsort(flat) : Array(Shape{0}, int64);
  Array inverse(Shape{n}, int64);
  std::vector<int64_t> first, counts;
  const int64_t* o = order.data<int64_t>();
  int64_t* inv = inverse.mutable_data<int64_t>();
  visit(a.dtype(), "unique", [&]<class T>() {
    using V = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    const T* p = flat.data<T>();
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || V(p[o[i]]) != V(p[o[i - 1]])) first.push_back(o[i]), counts.push_back(0);
      ++counts.back();
      inv[o[i]] = static_cast<int64_t>(first.size()) - 1;
    }
  });
  const auto to_array = [](const std::vector<int64_t>& v) {
    Array x(Shape{static_cast<int64_t>(v.size())}, int64);
    std::copy(v.begin(), v.end(), x.mutable_data<int64_t>());
    return x;
  };
  return {flat[to_array(first)], inverse.reshape(a.shape()), to_array(counts)};
}

Arrays nonzero(const Array& a) {
  if (!a.device().is_host()) return through_host([](const Array& x) { return nonzero(x); }, a);
  const std::vector<double> v = a.to_vector<double>();
  std::vector<std::vector<int64_t>> at(static_cast<std::size_t>(a.ndim()));
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i] == 0) continue;
    auto rest = static_cast<int64_t>(i);
    for (int d = a.ndim() - 1; d >= 0; --d) {
      at[static_cast<std::size_t>(d)].push_back(rest % a.shape()[d]);
      rest /= a.shape()[d];
    }
  }
  Arrays out;
  for (const auto& positions : at) {
    Array x(Shape{static_cast<int64_t>(positions.size())}, int64);
    std::copy(positions.begin(), positions.end(), x.mutable_data<int64_t>());
    out.push_back(x);
  }
  return out;
}

}  // namespace chainer
