// SPDX-License-Identifier: MIT
// Operators on shapes: rearranging, joining, splitting.
#include <algorithm>
#include <limits>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Variables reshape(const Call& c) {
  const Variable& x = c[0];
  const auto wanted = c.integers_or_input("shape", 1);
  if (!wanted) c.fail("the input shape is missing");
  Shape shape;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    int64_t n = (*wanted)[i];
    if (n == 0 && !c.integer("allowzero", 0)) {
      if (static_cast<int>(i) >= x.ndim())
        c.fail("shape[", i, "] is 0 (copied from the input), but the input has ", x.ndim(), " axes");
      n = x.shape()[static_cast<int64_t>(i)];
    }
    if (n < -1) c.fail("lengths must be -1 or more, not ", n);
    shape.push_back(n);
  }
  // -1 next to an empty axis: the quotient of the other lengths.
  int64_t known = 1;
  for (const int64_t n : shape)
    if (n != -1 && __builtin_mul_overflow(known, n, &known)) c.fail("the shape ", shape, " overflows");
  for (int64_t& n : shape)
    if (n == -1 && known == 0 && x.size() == 0) n = 0;
  return {F::reshape(x, shape)};
}

Variables flatten(const Call& c) {
  const Variable& x = c[0];
  const int64_t given = c.integer("axis", 1);
  if (given < -x.ndim() || given > x.ndim()) c.fail("axis ", given, " is out of range for ", x.ndim(), " axes");
  const int64_t axis = given < 0 ? given + x.ndim() : given;
  const int64_t rows = Dims(x.shape().begin(), x.shape().begin() + axis).product();
  return {F::reshape(x, {rows, Dims(x.shape().begin() + axis, x.shape().end()).product()})};
}

Variables transpose(const Call& c) {
  if (!c.contains("perm")) return {F::transpose(c[0])};
  return {F::transpose(c[0], Axes(Dims(c.integers("perm"))))};
}

Variables squeeze(const Call& c) {
  const auto axes = c.integers_or_input("axes", 1);
  return {F::squeeze(c[0], axes ? Axes(Dims(*axes)) : Axes())};
}

Variables unsqueeze(const Call& c) {
  auto axes = c.integers_or_input("axes", 1);
  if (!axes) c.fail("axes are missing");
  const int ndim = c[0].ndim() + static_cast<int>(std::min<std::size_t>(axes->size(), kMaxNdim));
  for (int64_t& a : *axes) a = c.axis(a, ndim);
  std::sort(axes->begin(), axes->end());
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end()) c.fail("an axis occurs twice");
  Shape shape = c[0].shape();
  for (const int64_t a : *axes) shape.insert(static_cast<int>(a), 1);
  return {F::reshape(c[0], shape)};
}

Variables concat(const Call& c) {
  (void)c[0];
  return {F::concat(c.inputs(), c.integer("axis", c.opset() < 4 ? std::optional<int64_t>(1) : std::nullopt))};
}

Variables split(const Call& c) {
  const Variable& x = c[0];
  const int axis = c.axis(c.integer("axis", 0), x.ndim());
  const int64_t n = x.shape()[axis];
  std::vector<int64_t> lengths;
  if (const auto given = c.integers_or_input("split", 1)) {
    lengths = *given;
  } else {
    const int64_t parts = c.integer("num_outputs", static_cast<int64_t>(c.node().outputs.size()));
    if (parts <= 0) c.fail("the number of parts must be positive, not ", parts);
    const int64_t each = (n + parts - 1) / parts;
    for (int64_t i = 0; i < std::min(parts, static_cast<int64_t>(c.node().outputs.size())); ++i)
      lengths.push_back(std::clamp<int64_t>(n - i * each, 0, each));
  }
  std::vector<int64_t> positions;
  int64_t at = 0;
  for (const int64_t l : lengths) {
    if (l < 0 || l > n - at) c.fail("the parts do not fit axis ", axis, " of length ", n);
    positions.push_back(at += l);
  }
  if (at != n) c.fail("the parts have ", at, " elements, axis ", axis, " has ", n);
  positions.pop_back();
  if (positions.empty()) return {x};
  return F::split_axis(x, positions, axis);
}

// Clips the bounds of a slice to the axis, since files use the largest and the smallest integer for its ends.
Slice bounded(int64_t start, int64_t stop, int64_t step, int64_t n) {
  const auto inside = [n](int64_t i, int64_t low, int64_t high) {
    return std::clamp(i < 0 ? std::max(i, -n - 1) + n : i, low, high);
  };
  if (step > 0) return Slice(inside(start, 0, n), inside(stop, 0, n), step);
  const int64_t from = inside(start, -1, n - 1), to = inside(stop, -1, n - 1);
  if (from < 0) return Slice(0, 0, 1);
  return Slice(from, to < 0 ? std::nullopt : std::optional<int64_t>(to), std::max(step, -n - 1));
}

Variables slice(const Call& c) {
  const Variable& x = c[0];
  const auto starts = c.integers_or_input("starts", 1), stops = c.integers_or_input("ends", 2);
  if (!starts || !stops) c.fail("starts and ends are required");
  auto axes = c.integers_or_input("axes", 3);
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  const std::vector<int64_t> steps = c.has(4) ? c.values(4) : std::vector<int64_t>(starts->size(), 1);
  if (stops->size() != starts->size() || axes->size() != starts->size() || steps.size() != starts->size())
    c.fail(starts->size(), " starts, ", stops->size(), " ends, ", axes->size(), " axes and ", steps.size(), " steps");
  Indices indices(static_cast<std::size_t>(x.ndim()), Slice());
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const int axis = c.axis((*axes)[i], x.ndim());
    if (steps[i] == 0) c.fail("steps must not be 0");
    indices[static_cast<std::size_t>(axis)] = bounded((*starts)[i], (*stops)[i], steps[i], x.shape()[axis]);
  }
  return {F::get_item(x, indices)};
}

Variables expand(const Call& c) {
  const Shape shape = broadcast_shapes(c[0].shape(), Shape(c.values(1)), "Expand");
  return {F::broadcast_to(c[0], shape)};
}

Variables tile(const Call& c) {
  std::vector<int64_t> reps = c.values(1);
  if (static_cast<int>(reps.size()) != c[0].ndim()) c.fail(reps.size(), " repeats for ", c[0].ndim(), " axes");
  Shape shape;
  for (std::size_t i = 0; i < reps.size(); ++i) {
    int64_t n;
    if (reps[i] < 0 || __builtin_mul_overflow(reps[i], c[0].shape()[static_cast<int64_t>(i)], &n))
      c.fail(reps[i], " repeats");
    shape.push_back(n);
  }
  checked_size(shape, item_size(c.dtype()), "Tile");
  return {F::tile(c[0], Dims(reps))};
}

// Widths before and after each axis; negative ones crop.
Variables pad(const Call& c) {
  Variable y = c[0];
  const auto widths = c.integers_or_input(c.contains("paddings") ? "paddings" : "pads", 1);
  if (!widths) c.fail("the widths are missing");
  std::vector<int64_t> axes;
  if (c.has(3)) {
    axes = c.values(3);
  } else {
    for (int i = 0; i < y.ndim(); ++i) axes.push_back(i);
  }
  if (widths->size() != 2 * axes.size()) c.fail(widths->size(), " widths for ", axes.size(), " axes");
  double value = c.real("value", 0.0);
  const bool learned = c.has(2) && c[2].requires_grad();
  if (c.has(2) && !learned) value = c[2].item<double>();
  const std::string mode = c.text("mode", "constant");
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<std::size_t>(y.ndim()));
  Indices cut(static_cast<std::size_t>(y.ndim()), Slice());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = c.axis(axes[i], y.ndim());
    const int64_t before = (*widths)[i], after = (*widths)[i + axes.size()], n = y.shape()[axis];
    constexpr int64_t kMost = int64_t(1) << 40;
    if (std::max(before, after) > kMost || std::min(before, after) < -n)
      c.fail("widths ", before, " and ", after, " for axis ", axis);
    cut[static_cast<std::size_t>(axis)] = Slice(std::max<int64_t>(0, -before), n - std::max<int64_t>(0, -after));
    pads[static_cast<std::size_t>(axis)] = {std::max<int64_t>(0, before), std::max<int64_t>(0, after)};
  }
  if (std::any_of(widths->begin(), widths->end(), [](int64_t w) { return w < 0; })) y = F::get_item(y, cut);
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") c.fail("unknown mode '", mode, "'");
  Shape shape = y.shape();
  for (int i = 0; i < y.ndim(); ++i)
    shape[i] += pads[static_cast<std::size_t>(i)].first + pads[static_cast<std::size_t>(i)].second;
  checked_size(shape, item_size(y.dtype()), "Pad");
  const Variable padded = F::pad(y, pads, mode, {.constant_values = value});
  if (!learned || mode != "constant") return {padded};
  const Array inside = F::pad(Variable(ones(y.shape(), y.dtype()), false), pads, "constant").array() != 0;
  return {F::where(Variable(inside, false), padded, F::reshape(c[2], {}))};
}

Variables shape(const Call& c) {
  const Shape& s = c[0].shape();
  const int64_t n = s.ndim();
  const auto bound = [&](const char* name, int64_t otherwise) {
    const int64_t v = c.integer(name, otherwise);
    return std::clamp<int64_t>(v < 0 ? v + n : v, 0, n);
  };
  const int64_t from = bound("start", 0), to = std::max(from, bound("end", n));
  return {array(std::vector<int64_t>(s.begin() + from, s.begin() + to), Shape{to - from})};
}
Variables size(const Call& c) { return {array(c[0].size())}; }

Variables depth_to_space(const Call& c) {
  const Variable& x = c[0];
  const int64_t b = c.integer("blocksize");
  if (x.ndim() != 4 || b <= 0 || x.shape(1) % (b * b)) c.fail("blocksize ", b, " does not fit shape ", x.shape());
  const int64_t n = x.shape(0), depth = x.shape(1) / (b * b), h = x.shape(2), w = x.shape(3);
  const bool crd = c.text("mode", "DCR") == "CRD";
  const Variable parts = F::reshape(x, crd ? Shape{n, depth, b, b, h, w} : Shape{n, b, b, depth, h, w});
  return {
      F::reshape(F::transpose(parts, crd ? Axes{0, 1, 4, 2, 5, 3} : Axes{0, 3, 4, 1, 5, 2}), {n, depth, h * b, w * b})};
}
Variables space_to_depth(const Call& c) {
  const Variable& x = c[0];
  const int64_t b = c.integer("blocksize");
  if (x.ndim() != 4 || b <= 0 || x.shape(2) % b || x.shape(3) % b)
    c.fail("blocks of ", b, " in an array of shape ", x.shape());
  const int64_t n = x.shape(0), depth = x.shape(1), h = x.shape(2) / b, w = x.shape(3) / b;
  const bool crd = c.text("mode", "DCR") == "CRD";
  const Variable parts =
      F::transpose(F::reshape(x, {n, depth, h, b, w, b}), crd ? Axes{0, 1, 3, 5, 2, 4} : Axes{0, 3, 5, 1, 2, 4});
  return {F::reshape(parts, {n, depth * b * b, h, w})};
}

// Crops or pads axes around their center.
Variables center_crop_pad(const Call& c) {
  Variable y = c[0];
  const std::vector<int64_t> lengths = c.values(1);
  std::vector<int64_t> axes = c.integers("axes", std::vector<int64_t>());
  if (axes.empty())
    for (int i = 0; i < y.ndim(); ++i) axes.push_back(i);
  if (axes.size() != lengths.size()) c.fail(lengths.size(), " lengths for ", axes.size(), " axes");
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<std::size_t>(y.ndim()));
  Indices cut(static_cast<std::size_t>(y.ndim()), Slice());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(c.axis(axes[i], y.ndim()));
    const int64_t n = y.shape()[static_cast<int64_t>(axis)], wanted = lengths[i];
    if (wanted < 0) c.fail("lengths must be 0 or more, not ", wanted);
    if (wanted > n) pads[axis] = {(wanted - n) / 2, (wanted - n + 1) / 2};
    if (wanted < n) cut[axis] = Slice((n - wanted) / 2, (n - wanted) / 2 + wanted);
  }
  Shape shape = y.shape();
  for (std::size_t i = 0; i < pads.size(); ++i) shape[static_cast<int64_t>(i)] += pads[i].first + pads[i].second;
  checked_size(shape, item_size(y.dtype()), "CenterCropPad");
  return {F::pad(F::get_item(y, cut), pads, "constant")};
}

constexpr Operator kOperators[] = {
    {"CenterCropPad", 18, center_crop_pad},
    {"Concat", 1, concat},
    {"DepthToSpace", 1, depth_to_space},
    {"Expand", 8, expand, 1},
    {"Flatten", 1, flatten},
    {"Pad", 1, pad},
    {"Reshape", 1, reshape, 1},
    {"Shape", 1, shape},
    {"Size", 1, size},
    {"Slice", 1, slice},
    {"SpaceToDepth", 1, space_to_depth},
    {"Split", 1, split},
    {"Squeeze", 1, squeeze, 1},
    {"Tile", 6, tile},
    {"Transpose", 1, transpose, 1},
    {"Unsqueeze", 1, unsqueeze, 1},
};

}  // namespace

std::span<const Operator> shape_operators() { return kOperators; }

}  // namespace chainer::onnx
