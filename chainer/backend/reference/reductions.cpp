// SPDX-License-Identifier: MIT
// Reductions, element by element into accumulators of the widest type: double, or int64 for integers.
#include <algorithm>
#include <limits>
#include <vector>

#include "chainer/backend/reference/elements.h"
#include "chainer/backend/reference/reference_backend.h"

namespace chainer::reference {
namespace {

template <class T>
T start(Reduce op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case Reduce::sum: return T(0);
    case Reduce::prod: return T(1);
    case Reduce::max: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Reduce::min: return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  return T(0);
}

template <class T>
T combined(Reduce op, T a, T b) {
  if (op == Reduce::sum) return a + b;
  if (op == Reduce::prod) return a * b;
  if (a != a || b != b) return a != a ? a : b;  // NaN wins
  return op == Reduce::max ? std::max(a, b) : std::min(a, b);
}

}  // namespace

void ReferenceBackend::reduce(Reduce op, const Array& a, const Dims& axes, Array& out) {
  // Returns the index of the result for element i of `a`, from the axes that are kept.
  const auto result_of = [&](int64_t i) {
    int64_t result = 0, step = 1;
    for (int d = a.ndim() - 1; d >= 0; --d) {
      const int64_t n = a.shape()[d];
      if (std::find(axes.begin(), axes.end(), d) == axes.end()) {
        result += i % n * step;
        step *= n;
      }
      i /= n;
    }
    return static_cast<std::size_t>(result);
  };
  const auto run = [&]<class T>() {
    const Elements from(a), to(out);
    std::vector<T> results(static_cast<std::size_t>(out.size()), start<T>(op));
    for (int64_t i = 0; i < from.size(); ++i) {
      T& r = results[result_of(i)];
      r = combined(op, r, from.get<T>(i));
    }
    for (int64_t i = 0; i < to.size(); ++i) to.set(i, results[static_cast<std::size_t>(i)]);
  };
  if (is_floating(a.dtype()))
    run.operator()<double>();
  else
    run.operator()<int64_t>();
}

void ReferenceBackend::arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) {
  const Elements from(a), to(out);
  const int64_t n = a.shape()[axis], inner = Dims(a.shape().begin() + axis + 1, a.shape().end()).product();
  in_work_type(a.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < to.size(); ++i) {
      const int64_t first = i / inner * n * inner + i % inner;
      int64_t best = 0;
      T largest = from.get<T>(first);
      for (int64_t k = 1; k < n && largest == largest; ++k) {
        const T v = from.get<T>(first + k * inner);
        if (v != v || (op == ArgReduce::argmax ? v > largest : v < largest)) best = k, largest = v;
      }
      to.set(i, best);
    }
  });
}

}  // namespace chainer::reference
