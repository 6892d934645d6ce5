// SPDX-License-Identifier: MIT
// Sampling of images at computed positions.
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/onnx/sampled.h"
#include "chainer/onnx/windows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {

namespace F = functions;

namespace {

// Returns whole positions inside of [0, n), and where they were inside before.
std::pair<Array, Array> inside(const Array& whole, int64_t n, Outside outside, bool at_centres) {
  const auto last = static_cast<double>(n - 1);
  const Array ok = (whole >= 0) & (whole <= last);
  if (outside != Outside::reflection) return {clip(whole, 0, last), ok};
  const double margin = at_centres ? 0 : 0.5;
  const Array folded = reflected(Variable(whole, false), -margin, last + margin).array();
  return {clip(floor(folded + 0.25), 0, last), ok};
}

// Returns the weights of the elements at floor(x) - 1 ... + 2, given the part of x behind the point.
Variables cubic_weights(const Variable& t) {
  const double a = -0.75;
  const auto near = [&](const Variable& d) { return ((d * (a + 2)) - (a + 3)) * d * d + 1.0; };
  const auto far = [&](const Variable& d) { return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)};
}

}  // namespace

Variable reflected(const Variable& at, double low, double high) {
  const double range = high - low;
  if (!(range > 0)) return Variable(full_like(at.array(), low), false);
  // The distance from the lower mirror, in periods of two ranges.
  const Variable d = at - low;
  const Variable rest = d - Variable(floor(d.array() / (2 * range)) * (2 * range), false);
  const Array back = rest.array() > range;
  return F::where(Variable(back, false), 2 * range - rest, rest) + low;
}

Variable sampled(const Variable& x, const Variables& positions, Interpolation how, Outside outside, bool at_centres) {
  const int64_t N = x.shape(0), C = x.shape(1), P = positions[0].shape(1);
  const int axes = static_cast<int>(positions.size());
  int64_t elements = 1;
  for (int i = 0; i < axes; ++i) elements *= x.shape()[2 + i];
  // Rows of channels, so that each position reads one row.
  const Variable rows = F::reshape(F::transpose(F::reshape(x, {N, C, elements}), {0, 2, 1}), {N * elements, C});
  struct Tap {
    Array index;      // (N, P)
    Variable weight;  // none: 1
  };
  std::vector<Tap> taps = {{broadcast_to(arange(N).reshape({N, 1}), {N, P}), {}}};
  for (int i = 0; i < axes; ++i) {
    const Variable& at = positions[static_cast<std::size_t>(i)];
    const int64_t n = x.shape()[2 + i];
    const Array low = how == Interpolation::nearest ? rint(at.array()) : floor(at.array());
    Variables weights = {Variable()};
    const Variable t = at - Variable(low, false);
    if (how == Interpolation::linear) weights = {1.0 - t, t};
    if (how == Interpolation::cubic) weights = cubic_weights(t);
    const double first = how == Interpolation::cubic ? -1 : 0;
    std::vector<Tap> more;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const auto [whole, ok] = inside(low + (first + static_cast<double>(k)), n, outside, at_centres);
      Variable w = weights[k];
      if (outside == Outside::zeros) {
        const Variable open(ok.astype(x.dtype()), false);
        w = w ? F::where(Variable(ok, false), w, Variable(zeros({}, w.dtype()), false)) : open;
      }
      for (const Tap& tap : taps)
        more.push_back({tap.index * n + whole.astype(int64), !tap.weight ? w : !w ? tap.weight : tap.weight * w});
    }
    taps = std::move(more);
  }
  Variable sum;
  for (const Tap& tap : taps) {
    Variable part = F::get_item(rows, {tap.index.reshape({N * P})});
    if (tap.weight) part = part * F::reshape(F::cast(tap.weight, x.dtype()), {N * P, 1});
    sum = sum ? sum + part : part;
  }
  return F::transpose(F::reshape(sum, {N, P, C}), {0, 2, 1});
}

namespace {

Variables grid_sample(const Call& c) {
  const Variable &x = c[0], &grid = c[1];
  const int axes = x.ndim() - 2;
  if (axes < 1 || grid.ndim() != x.ndim() || grid.shape(-1) != axes || grid.shape(0) != x.shape(0))
    c.fail("a grid of shape ", grid.shape(), " does not fit images of shape ", x.shape());
  const std::string mode = c.text("mode", c.opset() < 20 ? "bilinear" : "linear"),
                    padding = c.text("padding_mode", "zeros");
  const Interpolation how = mode == "nearest"                        ? Interpolation::nearest
                            : mode == "linear" || mode == "bilinear" ? Interpolation::linear
                                                                     : Interpolation::cubic;
  if (how == Interpolation::cubic && mode != "cubic" && mode != "bicubic") c.fail("unknown mode '", mode, "'");
  const Outside outside = padding == "zeros"    ? Outside::zeros
                          : padding == "border" ? Outside::border
                                                : Outside::reflection;
  if (outside == Outside::reflection && padding != "reflection") c.fail("unknown padding mode '", padding, "'");
  const bool centres = c.integer("align_corners", 0) != 0;
  Shape out{x.shape(0), x.shape(1)};
  int64_t points = 1;
  for (int i = 1; i <= axes; ++i) out.push_back(grid.shape()[i]), points *= grid.shape()[i];
  if (x.size() == 0 || points == 0) {
    if (x.size() == 0 && points != 0) c.fail("cannot sample images of shape ", x.shape());
    return {Variable(zeros(out, x.dtype()), false)};
  }
  const Variable flat = F::reshape(grid, {grid.shape(0), points, axes});
  Variables positions;
  for (int i = 0; i < axes; ++i) {  // the last coordinate belongs to the first axis
    const Variable g = F::get_item(flat, {Slice(), Slice(), int64_t(axes - 1 - i)});
    const auto n = static_cast<double>(x.shape()[2 + i]);
    Variable at = centres ? (g + 1.0) / 2.0 * (n - 1) : ((g + 1.0) * n - 1.0) / 2.0;
    if (how == Interpolation::nearest) at = Variable(rint(at.array()), false);
    const double low = centres ? 0 : -0.5, high = n - 1 - low;
    const Array beyond = (at.array() < low) | (at.array() > high);
    if (outside == Outside::border && how == Interpolation::cubic)
      ;  // each element is at the border, not the position
    else if (outside == Outside::border)
      at = F::where(Variable(beyond, false), F::clip(at, 0, n - 1), at);
    else if (outside == Outside::reflection)
      at = F::where(Variable(beyond, false), reflected(at, low, high), at);
    else  // far from the image all are zero; keeps positions in the range of integers
      at = F::where(Variable((at.array() > -4) & (at.array() < n + 4), false), at,
                    Variable(full({}, -4, at.dtype()), false));
    positions.push_back(at);
  }
  return {F::reshape(sampled(x, positions, how, outside, centres), out)};
}

// Returns the positions of the elements of an axis from -1 to 1.
Array steps(int64_t n, bool centres, Dtype dtype) {
  const auto length = static_cast<double>(n);
  const Array i = arange(n).astype(float64);
  return (centres ? i * (2 / (length - 1)) - 1 : (i * 2 + 1) / length - 1).astype(dtype);
}

Variables affine_grid(const Call& c) {
  const Variable& theta = c[0];
  const std::vector<int64_t> size = c.values(1);
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  if (axes < 2 || axes > 3 || theta.ndim() != 3 || theta.shape(1) != axes || theta.shape(2) != axes + 1)
    c.fail("maps of shape ", theta.shape(), " do not fit an image of ", size.size(), " axes");
  const bool centres = c.integer("align_corners", 0) != 0;
  Shape shape;
  for (std::size_t i = 2; i < size.size(); ++i) shape.push_back(size[i]);
  checked_size(shape, 8 * (axes + 1), "AffineGrid");
  Variables columns;  // the last axis first, then 1
  for (int64_t i = axes - 1; i >= 0; --i) {
    Shape along = Shape(Dims::filled(static_cast<int>(axes), 1));
    along[static_cast<int>(i)] = shape[static_cast<int>(i)];
    const Array at = steps(shape[static_cast<int>(i)], centres, theta.dtype()).reshape(along);
    columns.push_back(Variable(broadcast_to(at, shape).reshape({-1}), false));
  }
  columns.push_back(Variable(ones_like(columns[0].array()), false));
  Shape out{theta.shape(0)};
  for (const int64_t n : shape) out.push_back(n);
  out.push_back(axes);
  return {F::reshape(
      F::transpose(F::matmul(theta, F::broadcast_to(F::stack(columns, 0), {theta.shape(0), axes + 1, shape.product()})),
                   {0, 2, 1}),
      out)};
}

// Convolution whose elements are moved by offsets, (y, x) for each element of the filter, and multiplied by a mask.
Variables deformable_convolution(const Call& c) {
  const Variable &x = c[0], &W = c[1], &offset = c[2];
  const int64_t groups = c.integer("group", 1), parts = c.integer("offset_group", 1);
  if (x.ndim() != 4 || W.ndim() != 4) c.fail("expected images and filters of two axes, got shape ", x.shape());
  const Windows w = windows_of(c, x.shape(), Dims{W.shape(2), W.shape(3)});
  const int64_t N = x.shape(0), C = x.shape(1), O = W.shape(0), K = W.shape(2) * W.shape(3), P = w.out.product();
  if (groups < 1 || parts < 1 || C % parts || O % groups || C != W.shape(1) * groups)
    c.fail("images of shape ", x.shape(), " do not fit filters of shape ", W.shape());
  if (offset.shape() != Shape{N, parts * K * 2, w.out[0], w.out[1]})
    c.fail("offsets have shape ", offset.shape(), ", expected ", Shape{N, parts * K * 2, w.out[0], w.out[1]});
  const Variable moved = F::reshape(offset, {N * parts, K, 2, P});
  Variables positions;
  for (int i = 0; i < 2; ++i) {
    Shape window{1, 1, 1, 1}, element{1, 1, 1, 1};
    window[2 + i] = w.out[i], element[i] = w.kernel[i];
    const Array first = (arange(w.out[i]) * w.stride[i] - w.before[i]).reshape(window),
                step = (arange(w.kernel[i]) * w.dilation[i]).reshape(element);
    const Array at = broadcast_to(first + step, {w.kernel[0], w.kernel[1], w.out[0], w.out[1]}).reshape({1, K, P});
    const Variable to = F::get_item(moved, {Slice(), Slice(), int64_t(i)}) +
                        Variable(broadcast_to(at.astype(x.dtype()), {N * parts, K, P}), false);
    const double far = static_cast<double>(x.shape()[2 + i]) + 4;
    positions.push_back(F::reshape(F::where(Variable((to.array() > -4) & (to.array() < far), false), to,
                                            Variable(full({}, -4, to.dtype()), false)),
                                   {N * parts, K * P}));
  }
  Variable y = sampled(F::reshape(x, {N * parts, C / parts, x.shape(2), x.shape(3)}), positions, Interpolation::linear,
                       Outside::zeros, true);
  if (c.has(4)) y = y * F::broadcast_to(F::reshape(c[4], {N * parts, 1, K * P}), y.shape());
  y = F::reshape(y, {N, groups, C / groups * K, P});
  const Variable filters = F::reshape(W, {groups, O / groups, C / groups * K});
  y = F::reshape(F::einsum("gok,ngkp->ngop", {filters, y}), {N, O, w.out[0], w.out[1]});
  return {c.has(3) ? y + F::reshape(c[3], {1, O, 1, 1}) : y};
}

constexpr Operator kOperators[] = {
    {"AffineGrid", 20, affine_grid},
    {"DeformConv", 19, deformable_convolution, 2 | 8},
    {"GridSample", 16, grid_sample},
};

}  // namespace

std::span<const Operator> sampling_operators() { return kOperators; }

}  // namespace chainer::onnx
