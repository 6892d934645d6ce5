// SPDX-License-Identifier: MIT
#include "chainer/routines/reduction.h"

#include <algorithm>
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {

// Returns the memory order of the axes that remain after a reduction.
Dims order_left(const Array& a, const Dims& reduced, bool keepdims) {
  if (a.is_contiguous()) return {};
  Dims order;
  for (int64_t d : memory_order(a)) {
    if (keepdims) {
      order.push_back(d);
      continue;
    }
    if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
    order.push_back(d - std::count_if(reduced.begin(), reduced.end(), [&](int64_t r) { return r < d; }));
  }
  return order;
}

Array reduce(Reduce op, const Array& a, const Axes& axes, bool keepdims, Dtype type) {
  const Dims list = axes.normalized(a.ndim(), name(op));
  Shape shape;
  bool empty = false;
  for (int d = 0; d < a.ndim(); ++d) {
    const bool reduced = std::find(list.begin(), list.end(), d) != list.end();
    if (reduced && a.shape()[d] == 0) empty = true;
    if (!reduced)
      shape.push_back(a.shape()[d]);
    else if (keepdims)
      shape.push_back(1);
  }
  if (empty && (op == Reduce::max || op == Reduce::min))
    throw ValueError(name(op), ": zero-size array of shape ", a.shape(), " has no ", name(op));
  const Dims order = order_left(a, list, keepdims);
  if (Array later = deferred::reduce(op, a, list, shape, order, type)) return later;
  Array out = empty_in_order(shape, type, a.device(), order, name(op).data());
  a.device().backend().reduce(op, a, list, out);
  return out;
}

Dtype total_type(Dtype d) { return is_floating(d) ? d : int64; }

Array arg(ArgReduce op, const Array& a, std::optional<int64_t> axis, std::string_view name) {
  const Array x = axis ? a : a.ravel();
  const int d = normalize_axis(axis.value_or(0), x.ndim(), name);
  if (x.shape()[d] == 0) throw ValueError(name, ": axis ", d, " of shape ", x.shape(), " is empty");
  Shape shape = x.shape();
  shape.erase(d);
  Array out(shape, int64, a.device(), name.data());
  a.device().backend().arg_reduce(op, x, d, out);
  return out;
}

Array running(Scan op, const Array& a, std::optional<int64_t> axis, std::string_view name) {
  const Array x = (axis ? a : a.ravel()).astype(total_type(a.dtype()), false);
  Array out(x.shape(), x.dtype(), a.device(), name.data());
  a.device().backend().scan(op, x, normalize_axis(axis.value_or(0), x.ndim(), name), out);
  return out;
}

double count(const Array& a, const Axes& axes) {
  double n = 1;
  for (int64_t d : axes.normalized(a.ndim(), "mean")) n *= static_cast<double>(a.shape()[d]);
  return n;
}

}  // namespace

Array sum(const Array& a, const Axes& axes, bool keepdims, std::optional<Dtype> dtype) {
  // As in NumPy, elements are converted before they are added. (Sums of 16 bits in float32 are.)
  const bool converts = dtype && *dtype != a.dtype() && (is_floating(*dtype) || is_floating(a.dtype())) &&
                        !(*dtype == float32 && is_floating(a.dtype()) && item_size(a.dtype()) == 2);
  constexpr int64_t kBlock = 1 << 16;
  if (converts && !axes.given() && a.size() > kBlock && a.device().is_host()) {  // without a copy of all elements
    const Array flat = a.ravel();
    Array total = zeros({}, *dtype);
    for (int64_t i = 0; i < flat.size(); i += kBlock)
      total = total + sum(flat[Slice(i, std::min(i + kBlock, flat.size()))].astype(*dtype), {}, false, *dtype);
    return keepdims ? total.reshape(Shape(Dims::filled(a.ndim(), 1))) : total;
  }
  if (converts) return sum(a.astype(*dtype), axes, keepdims, *dtype);
  return reduce(Reduce::sum, a, axes, keepdims, dtype.value_or(total_type(a.dtype())));
}
Array prod(const Array& a, const Axes& axes, bool keepdims) {
  return reduce(Reduce::prod, a, axes, keepdims, total_type(a.dtype()));
}
Array max(const Array& a, const Axes& axes, bool keepdims) { return reduce(Reduce::max, a, axes, keepdims, a.dtype()); }
Array min(const Array& a, const Axes& axes, bool keepdims) { return reduce(Reduce::min, a, axes, keepdims, a.dtype()); }

Array mean(const Array& a, const Axes& axes, bool keepdims) {
  if (!is_floating(a.dtype())) return mean(a.astype(float64), axes, keepdims);
  const Dtype wide = item_size(a.dtype()) == 2 ? float32 : a.dtype();
  Array s = reduce(Reduce::sum, a, axes, keepdims, wide);
  s /= count(a, axes);
  return s.astype(a.dtype(), false);
}

Array var(const Array& a, const Axes& axes, bool keepdims, int64_t ddof) {
  if (!is_floating(a.dtype())) return var(a.astype(float64), axes, keepdims, ddof);
  const Array x = item_size(a.dtype()) == 2 ? a.astype(float32) : a;
  Array s = reduce(Reduce::sum, square(x - mean(x, axes, true)), axes, keepdims, x.dtype());
  s /= count(a, axes) - static_cast<double>(ddof);
  return s.astype(a.dtype(), false);
}
Array std(const Array& a, const Axes& axes, bool keepdims, int64_t ddof) { return sqrt(var(a, axes, keepdims, ddof)); }

Mask all(const Array& a, const Axes& axes, bool keepdims) {
  const Array truth = not_equal(a, 0);
  const Dims list = axes.normalized(a.ndim(), "all");
  for (int64_t d : list)
    if (a.shape()[d] == 0) return equal(count_nonzero(a, axes, keepdims), 0);
  return Mask(reduce(Reduce::min, truth, axes, keepdims, Dtype::bool_));
}
Mask any(const Array& a, const Axes& axes, bool keepdims) { return not_equal(count_nonzero(a, axes, keepdims), 0); }
Array count_nonzero(const Array& a, const Axes& axes, bool keepdims) {
  return reduce(Reduce::sum, not_equal(a, 0), axes, keepdims, int64);
}

Array argmax(const Array& a, std::optional<int64_t> axis) { return arg(ArgReduce::argmax, a, axis, "argmax"); }
Array argmin(const Array& a, std::optional<int64_t> axis) { return arg(ArgReduce::argmin, a, axis, "argmin"); }
Array cumsum(const Array& a, std::optional<int64_t> axis) { return running(Scan::cumsum, a, axis, "cumsum"); }
Array cumprod(const Array& a, std::optional<int64_t> axis) { return running(Scan::cumprod, a, axis, "cumprod"); }

std::vector<double> percentile(const Array& a, const std::vector<double>& q) {
  std::vector<double> v = a.to_vector<double>(), out;
  if (v.empty()) throw ValueError("percentile: the array is empty");
  const bool nan = std::any_of(v.begin(), v.end(), [](double x) { return std::isnan(x); });
  if (!nan) std::sort(v.begin(), v.end());  // NaN has no order
  for (double p : q) {
    if (!(p >= 0 && p <= 100)) throw ValueError("percentile: ", p, " is not in [0, 100]");
    const double at = p / 100 * static_cast<double>(v.size() - 1);
    const auto i = static_cast<std::size_t>(at), j = std::min(i + 1, v.size() - 1);
    const double t = at - static_cast<double>(i), d = v[j] - v[i];
    out.push_back(nan ? std::nan("") : t < 0.5 ? v[i] + d * t : v[j] - d * (1 - t));
  }
  return out;
}

Array sum_to(const Array& a, const Shape& shape) {
  if (a.shape() == shape) return a;
  if (broadcast_shapes(a.shape(), shape, "sum_to") != a.shape())
    throw DimensionError("sum_to: shape ", shape, " does not broadcast to ", a.shape());
  const int lead = a.ndim() - shape.ndim();
  Dims axes;
  for (int d = 0; d < a.ndim(); ++d)
    if (d < lead || (shape[d - lead] == 1 && a.shape()[d] != 1)) axes.push_back(d);
  return reduce(Reduce::sum, a, axes, false, a.dtype()).reshape(shape);
}

}  // namespace chainer
