// SPDX-License-Identifier: MIT
// Pooling.
#include <limits>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/pooling.h"
#include "chainer/onnx/call.h"
#include "chainer/onnx/windows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Windows pooling_windows(const Call& c) { return windows_of(c, c[0].shape(), Dims(c.integers("kernel_shape"))); }

// Returns true if the pooling functions of the library support these windows directly.
bool direct(const Windows& w, const Shape& x) {
  if (!w.symmetric() || w.dilated()) return false;
  for (int i = 0; i < w.out.ndim(); ++i)
    if (w.before[i] < 0 || (x[i + 2] + 2 * w.before[i] - w.kernel[i]) / w.stride[i] + 1 != w.out[i]) return false;
  return true;
}

// Returns the axes of a window's elements, which follow N, C and the axes of the results.
Axes window_axes(const Windows& w) {
  Dims axes;
  for (int i = 0; i < w.kernel.ndim(); ++i) axes.push_back(2 + w.out.ndim() + i);
  return axes;
}
Array joined(const Array& windows, const Windows& w) {
  Shape shape(windows.shape().begin(), windows.shape().begin() + 2 + w.out.ndim());
  shape.push_back(-1);
  return windows.size() ? windows.reshape(shape) : windows;
}

Variables max_pool(const Call& c) {
  const Windows w = pooling_windows(c);
  const bool integers = !c.floating();
  const Variable x = integers ? Variable(c.array(0).astype(float32), false) : c[0];
  const double lowest = -std::numeric_limits<double>::infinity();
  Variable y;
  if (direct(w, x.shape()))
    y = F::max_pooling_nd(x, w.kernel, {.stride = w.stride, .pad = w.before, .cover_all = false});
  else if (!w.dilated())
    y = F::max_pooling_nd(padded(x, w, lowest), w.kernel, {.stride = w.stride, .cover_all = false});
  else
    y = F::max(under_windows(padded(x, w, lowest), w), window_axes(w));
  if (integers) y = Variable(y.array().astype(c.dtype()), false);
  if (!c.wants(1)) return {y};
  // The positions of results in the flattened input.
  Array places = arange(x.size()).reshape(x.shape());
  if (c.integer("storage_order", 0)) {  // column-major: the first spatial axis varies fastest
    Dims order = {0, 1};
    for (int i = x.ndim() - 1; i > 1; --i) order.push_back(i);
    const Shape turned = x.array().transpose(Axes(order)).shape();
    places = arange(x.size()).reshape(turned).transpose(Axes(order));
  }
  const Array at = joined(under_windows(padded(Variable(places, false), w, 0), w).array(), w);
  const Array best = argmax(joined(under_windows(padded(Variable(x.array(), false), w, lowest), w).array(), w), -1);
  const int64_t n = at.shape(-1);
  const Array flat = take(at.ravel(), best.ravel() + arange(best.size()) * n);
  return {y, Variable(flat.reshape(best.shape()), false)};
}

Variables average_pool(const Call& c) {
  const Windows w = pooling_windows(c);
  const Variable& x = c[0];
  const bool include = c.integer("count_include_pad", 0);
  if (direct(w, x.shape())) {
    const std::optional<double> fill = include ? std::optional<double>(0) : std::nullopt;
    return {F::average_pooling_nd(x, w.kernel, {.stride = w.stride, .pad = w.before, .pad_value = fill})};
  }
  // The number of elements in each window: those of the image, and of the padding if it is included.
  Shape counted{1, 1};
  Windows rest = w;
  for (int i = 0; i < w.out.ndim(); ++i) {
    counted.push_back(x.shape()[i + 2] + (include ? w.before[i] + w.after[i] : 0));
    if (include) rest.before[i] = 0;
  }
  const Variable number =
      F::sum(under_windows(padded(Variable(ones(counted, x.dtype()), false), rest, 0), rest), window_axes(w));
  return {F::sum(under_windows(padded(x, w, 0), w), window_axes(w)) / number};
}

Variable norm(const Variable& x, double p, const Axes& axes, bool keepdims) {
  const Variable a = F::absolute(x);
  if (p == 1) return F::sum(a, axes, {.keepdims = keepdims});
  return pow(F::sum(pow(a, p), axes, {.keepdims = keepdims}), 1 / p);
}
double exponent(const Call& c) {
  const Attribute* const p = c.find("p");
  return !p ? 2 : p->kind == Attribute::Kind::real ? p->real : static_cast<double>(p->integer);
}
Variables lp_pool(const Call& c) {
  const Windows w = pooling_windows(c);
  return {norm(under_windows(padded(c[0], w, 0), w), exponent(c), window_axes(w), false)};
}

Axes spatial(const Call& c) {
  Dims axes;
  if (c[0].ndim() < 3) c.fail("expected images (N, C, d...), got shape ", c[0].shape());
  for (int i = 2; i < c[0].ndim(); ++i) axes.push_back(i);
  return axes;
}
Variables global_average_pool(const Call& c) { return {F::average(c[0], spatial(c), {.keepdims = true})}; }
Variables global_max_pool(const Call& c) { return {F::max(c[0], spatial(c), {.keepdims = true})}; }
Variables global_lp_pool(const Call& c) { return {norm(c[0], exponent(c), spatial(c), true)}; }

// Returns elements at the positions from which max pooling took them, zeros elsewhere.
Variables max_unpool(const Call& c) {
  const Variable& x = c[0];
  const Dims kernel(c.integers("kernel_shape"));
  const int axes = kernel.ndim();
  if (x.ndim() != axes + 2 || c[1].shape() != x.shape())
    c.fail("indices have shape ", c[1].shape(), ", the input has ", x.shape());
  const Dims stride = per_axis(c, "strides", axes, 1);
  const std::vector<int64_t> pads = c.integers("pads", std::vector<int64_t>(2 * static_cast<std::size_t>(axes), 0));
  if (static_cast<int>(pads.size()) != 2 * axes) c.fail("pads has ", pads.size(), " numbers for ", axes, " axes");
  Shape least{x.shape(0), x.shape(1)};
  for (int i = 0; i < axes; ++i)
    least.push_back((x.shape()[i + 2] - 1) * stride[i] + kernel[i] - pads[static_cast<std::size_t>(i)] -
                    pads[static_cast<std::size_t>(i + axes)]);
  const Shape out = c.has(2) ? Shape(c.values(2)) : least;
  // Indices refer to images of the smallest size that the pooling may have had.
  Array at = c.array(1).astype(int64).ravel();
  const int64_t n = checked_size(out, item_size(x.dtype()), "MaxUnpool");
  if (out != least) {
    Array moved = zeros(at.shape(), int64);
    int64_t inner = 1, inner_out = 1;
    for (int i = out.ndim() - 1; i >= 0; --i) {
      moved = moved + chainer::floor_divide(at, inner) % least[i] * inner_out;
      inner *= least[i];
      inner_out *= out[i];
    }
    at = moved;
  }
  if (at.size() && (min(at).item<int64_t>() < 0 || max(at).item<int64_t>() >= n))
    c.fail("an index is out of range for shape ", out);
  const Variable blank(zeros({n}, x.dtype()), false);
  return {F::reshape(F::scatter_add(blank, {at}, F::reshape(x, {x.size()})), out)};
}

constexpr Operator kOperators[] = {
    {"AveragePool", 1, average_pool},
    {"GlobalAveragePool", 1, global_average_pool},
    {"GlobalLpPool", 1, global_lp_pool},
    {"GlobalMaxPool", 1, global_max_pool},
    {"LpPool", 1, lp_pool},
    {"MaxPool", 1, max_pool},
    {"MaxUnpool", 9, max_unpool},
};

}  // namespace

std::span<const Operator> pooling_operators() { return kOperators; }

}  // namespace chainer::onnx
