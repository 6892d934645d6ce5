// SPDX-License-Identifier: MIT
// Reductions. Axes are an attribute in older operator sets, an input in newer ones.
#include <limits>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

struct Reduction {
  Axes axes;
  bool keepdims;
  bool nothing;  // reduces no axis
};

Reduction reduction(const Call& c) {
  const auto axes = c.integers_or_input("axes", 1);
  const bool empty = !axes || axes->empty();
  Reduction r{{}, c.integer("keepdims", 1) != 0, empty && c.integer("noop_with_empty_axes", 0)};
  if (!empty) {
    Dims list;
    for (const int64_t a : *axes) list.push_back(c.axis(a, c[0].ndim()));
    r.axes = Axes(list);
  }
  return r;
}

// Calls f(x, axes, keepdims) on floating elements; integers are converted to float64 and back.
template <class Function>
Variables reduce(const Call& c, const Function& f) {
  const Reduction r = reduction(c);
  const Variable x = c.floating() ? c[0] : Variable(c.array(0).astype(float64), false);
  Variable y;
  if (r.nothing) {
    Shape shape = x.shape();
    shape.insert(0, 1);  // adds an axis of length one to reduce
    y = f(F::reshape(x, shape), Axes(0), false);
  } else {
    y = f(x, r.axes, r.keepdims);
  }
  return {c.floating() ? y : Variable(y.array().astype(c.dtype()), false)};
}

Variable sum_of(const Variable& x, const Axes& axes, bool keepdims) { return F::sum(x, axes, {.keepdims = keepdims}); }

Variable log_sum_exp(const Variable& x, const Axes& axes, bool keepdims) {
  if (x.size() == 0) return F::log(sum_of(F::exp(x), axes, keepdims));
  // Subtracting the largest element, if it is finite, keeps the exponentials in range.
  Array top = chainer::max(x.array(), axes, true);
  top = chainer::where(isfinite(top), top, zeros_like(top));
  const Variable shift(top, false);
  const Variable y = F::log(sum_of(F::exp(x - F::broadcast_to(shift, x.shape())), axes, true)) + shift;
  return keepdims ? y : F::reshape(y, chainer::sum(x.array(), axes, false).shape());
}

Variables reduce_sum(const Call& c) {
  if (c.floating() || reduction(c).nothing) return reduce(c, sum_of);
  const Reduction r = reduction(c);
  return {Variable(chainer::sum(c.array(0), r.axes, r.keepdims).astype(c.dtype(), false), false)};
}
Variables reduce_mean(const Call& c) {
  return reduce(c, [](const Variable& x, const Axes& a, bool k) { return F::average(x, a, {.keepdims = k}); });
}
Variables reduce_prod(const Call& c) {
  return reduce(c, [](const Variable& x, const Axes& a, bool k) { return F::prod(x, a, {.keepdims = k}); });
}
Variables reduce_l1(const Call& c) {
  return reduce(c, [](const Variable& x, const Axes& a, bool k) { return sum_of(F::absolute(x), a, k); });
}
Variables reduce_l2(const Call& c) {
  return reduce(c, [](const Variable& x, const Axes& a, bool k) { return F::sqrt(sum_of(x * x, a, k)); });
}
Variables reduce_sum_square(const Call& c) {
  return reduce(c, [](const Variable& x, const Axes& a, bool k) { return sum_of(x * x, a, k); });
}
Variables reduce_log_sum(const Call& c) {
  return reduce(c, [](const Variable& x, const Axes& a, bool k) { return F::log(sum_of(x, a, k)); });
}
Variables reduce_log_sum_exp(const Call& c) { return reduce(c, log_sum_exp); }

// The extremes of empty axes are the limits of the dtype.
template <class Function>
Variables extreme(const Call& c, const Function& f, Array (*routine)(const Array&, const Axes&, bool), bool greatest) {
  const Reduction r = reduction(c);
  const Array& x = c.array(0);
  if (r.nothing) return {c[0]};
  if (x.size() == 0) {
    const Shape shape = chainer::sum(x, r.axes, r.keepdims).shape();
    const double infinity = std::numeric_limits<double>::infinity();
    if (c.floating()) return {Variable(full(shape, greatest ? -infinity : infinity, c.dtype()), false)};
    if (c.dtype() == bool_) return {Variable(full(shape, !greatest, bool_), false)};
    const int64_t bits = 8 * item_size(c.dtype()),
                  top = c.dtype() == uint8 ? 255 : int64_t((uint64_t(1) << (bits - 1)) - 1);
    return {Variable(full(shape, greatest ? (c.dtype() == uint8 ? 0 : -top - 1) : top, c.dtype()), false)};
  }
  if (c.floating()) return {f(c[0], r.axes, {.keepdims = r.keepdims})};
  const Array y = routine(c.dtype() == bool_ ? x.astype(uint8) : x, r.axes, r.keepdims);
  return {Variable(y.astype(c.dtype(), false), false)};
}
Variables reduce_max(const Call& c) { return extreme(c, F::max, chainer::max, true); }
Variables reduce_min(const Call& c) { return extreme(c, F::min, chainer::min, false); }

// Returns the position of the first, or the last, of several equal elements.
Variables place_of(const Call& c, Array (*routine)(const Array&, std::optional<int64_t>)) {
  const Array& x = c.array(0);
  const int axis = c.axis(c.integer("axis", 0), x.ndim());
  Array y;
  if (c.integer("select_last_index", 0))
    y = Scalar(x.shape()[axis] - 1) - routine(flip(x, axis), axis);
  else
    y = routine(x, axis);
  if (c.integer("keepdims", 1)) y = expand_dims(y, axis);
  return {Variable(y.astype(int64, false), false)};
}
Variables arg_max(const Call& c) { return place_of(c, chainer::argmax); }
Variables arg_min(const Call& c) { return place_of(c, chainer::argmin); }

constexpr Operator kOperators[] = {
    {"ArgMax", 1, arg_max},
    {"ArgMin", 1, arg_min},
    {"ReduceL1", 1, reduce_l1},
    {"ReduceL2", 1, reduce_l2},
    {"ReduceLogSum", 1, reduce_log_sum},
    {"ReduceLogSumExp", 1, reduce_log_sum_exp},
    {"ReduceMax", 1, reduce_max},
    {"ReduceMean", 1, reduce_mean},
    {"ReduceMin", 1, reduce_min},
    {"ReduceProd", 1, reduce_prod},
    {"ReduceSum", 1, reduce_sum},
    {"ReduceSumSquare", 1, reduce_sum_square},
};

}  // namespace

std::span<const Operator> reduction_operators() { return kOperators; }

}  // namespace chainer::onnx
