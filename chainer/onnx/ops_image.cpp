// SPDX-License-Identifier: MIT
// Resizing images and sampling from them.
#include <algorithm>
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/array/resample.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Parameters of resizing one axis.
struct Axis {
  int64_t in, out;
  double scale, roi_start, roi_end;
};

struct Resize {
  std::string mode = "nearest", coordinates = "half_pixel", rounding = "round_prefer_floor";
  double cubic = -0.75, fill = 0;
  bool exclude_outside = false, antialias = false;

  double position(const Axis& a, int64_t i) const;
  F::Taps taps(const Axis& a) const;
  int64_t nearest(double x) const;
  double weight(double distance) const;
};

// Returns the position in the input of element i of the result.
double Resize::position(const Axis& a, int64_t i) const {
  const double x = static_cast<double>(i), in = static_cast<double>(a.in), out = a.scale * in;  // out before rounding
  if (coordinates == "half_pixel") return (x + 0.5) / a.scale - 0.5;
  if (coordinates == "asymmetric") return x / a.scale;
  if (coordinates == "pytorch_half_pixel") return a.out > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
  if (coordinates == "align_corners") return out != 1 ? x * (in - 1) / (out - 1) : 0;
  if (coordinates == "half_pixel_symmetric") {
    const double adjustment = static_cast<double>(a.out) / out;
    return in / 2 * (1 - adjustment) + (x + 0.5) / a.scale - 0.5;
  }
  if (coordinates == "tf_crop_and_resize")
    return out != 1 ? a.roi_start * (in - 1) + x * (a.roi_end - a.roi_start) * (in - 1) / (out - 1)
                    : 0.5 * (a.roi_start + a.roi_end) * (in - 1);
  throw ValueError("onnx: Resize: unknown coordinate transformation '", coordinates, "'");
}

int64_t Resize::nearest(double x) const {
  const double low = std::floor(x), rest = x - low;
  const bool up = rounding == "floor"               ? false
                  : rounding == "ceil"              ? rest > 0
                  : rounding == "round_prefer_ceil" ? rest >= 0.5
                                                    : rest > 0.5;
  return static_cast<int64_t>(low) + up;
}

double Resize::weight(double distance) const {
  const double x = std::abs(distance);
  if (mode == "linear") return std::max(0.0, 1 - x);
  if (x <= 1) return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
  return x < 2 ? ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic : 0;
}

// Returns the input elements and weights of each result.
F::Taps Resize::taps(const Axis& a) const {
  F::Taps taps(a.in);
  const double stretch = antialias && a.scale < 1 ? a.scale : 1, reach = (mode == "linear" ? 1 : 2) / stretch;
  for (int64_t i = 0; i < a.out; ++i) {
    const double x = position(a, i);
    taps.begin();
    double total = 0;
    const int64_t first = static_cast<int64_t>(std::floor(x - reach)),
                  last = static_cast<int64_t>(std::ceil(x + reach));
    const bool normalized = exclude_outside || stretch != 1;
    for (int64_t k = first; k <= last; ++k) {
      const bool outside = k < 0 || k >= a.in;
      const double v = outside && exclude_outside ? 0 : weight((static_cast<double>(k) - x) * stretch);
      total += v;
      if (v != 0) taps.add(std::clamp<int64_t>(k, 0, a.in - 1), v);
    }
    if (normalized && total != 0) taps.scale(1 / total);
  }
  return taps;
}

Variable resized(const Resize& r, const Variable& x, const std::vector<Axis>& axes) {
  Variable y = is_floating(x.dtype()) ? x : Variable(x.array().astype(float64), false);
  // Shrinking axes come first. The last axis, whose pass is the slowest, comes when there are the fewest rows.
  std::vector<int> order;
  for (int d = 0; d < x.ndim(); ++d)
    if (axes[static_cast<std::size_t>(d)].out < axes[static_cast<std::size_t>(d)].in) order.push_back(d);
  for (int d = x.ndim() - 1; d >= 0; --d)
    if (axes[static_cast<std::size_t>(d)].out >= axes[static_cast<std::size_t>(d)].in) order.push_back(d);
  for (const int d : order) {
    const Axis& a = axes[static_cast<std::size_t>(d)];
    if (a.in == a.out && a.scale == 1 && r.coordinates != "tf_crop_and_resize") continue;
    if (r.mode == "nearest") {
      std::vector<int64_t> at;
      for (int64_t i = 0; i < a.out; ++i) at.push_back(std::clamp<int64_t>(r.nearest(r.position(a, i)), 0, a.in - 1));
      Indices indices(static_cast<std::size_t>(d), Slice());
      indices.push_back(array(at, Shape{a.out}));
      y = F::get_item(y, indices);
      continue;
    }
    y = F::resample(y, d, r.taps(a));
  }
  if (r.coordinates == "tf_crop_and_resize") {  // positions outside of the input have the extrapolation value
    Array outside = zeros(Shape(Dims::filled(x.ndim(), 1)), bool_);
    for (int d = 0; d < x.ndim(); ++d) {
      const Axis& a = axes[static_cast<std::size_t>(d)];
      std::vector<bool> out;
      for (int64_t i = 0; i < a.out; ++i)
        out.push_back(r.position(a, i) < 0 || r.position(a, i) > static_cast<double>(a.in - 1));
      Shape along = Shape(Dims::filled(x.ndim(), 1));
      along[d] = a.out;
      outside = outside | array(out).reshape(along);
    }
    y = F::where(Variable(outside, false), Variable(full({}, r.fill, y.dtype()), false), y);
  }
  return is_floating(x.dtype())
             ? y
             : Variable((r.mode == "nearest" ? y.array() : rint(y.array())).astype(x.dtype()), false);
}

Axis scaled(const Call& c, int64_t in, double scale) {
  const double out = std::floor(static_cast<double>(in) * scale);
  if (!(scale > 0) || !(out < 1e12)) c.fail("scale ", scale, " is out of range");
  return {in, static_cast<int64_t>(out), scale, 0, 1};
}

Variables finish(const Call& c, const Resize& r, const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& a : axes) {
    if (a.in <= 0) c.fail("cannot resize an array of shape ", c[0].shape());
    shape.push_back(a.out);
  }
  checked_size(shape, 8, "Resize");
  // Bounds the matrices of weights, since a file may claim any length.
  for (const Axis& a : axes) checked_size({a.in, a.out}, 8, "Resize");
  return {resized(r, c[0], axes)};
}

Variables resize(const Call& c) {
  const Variable& x = c[0];
  Resize r;
  r.mode = c.text("mode", "nearest");
  r.coordinates = c.text("coordinate_transformation_mode", c.opset() < 11 ? "asymmetric" : "half_pixel");
  r.rounding = c.text("nearest_mode", c.opset() < 11 ? "floor" : "round_prefer_floor");
  r.cubic = c.real("cubic_coeff_a", -0.75);
  r.fill = c.real("extrapolation_value", 0.0);
  r.exclude_outside = c.integer("exclude_outside", 0);
  r.antialias = c.integer("antialias", 0);
  if (r.mode != "nearest" && r.mode != "linear" && r.mode != "cubic") c.fail("unknown mode '", r.mode, "'");
  std::vector<int64_t> which = c.integers("axes", std::vector<int64_t>());
  if (which.empty())
    for (int i = 0; i < x.ndim(); ++i) which.push_back(i);
  const std::size_t n = which.size(), scales_at = c.opset() < 11 ? 1 : 2;
  std::vector<double> scales, roi;
  std::vector<int64_t> sizes;
  if (c.has(scales_at)) scales = c.array(scales_at).to_vector<double>();
  if (c.has(3)) sizes = c.values(3);
  if (c.opset() >= 11 && c.has(1)) roi = c.array(1).to_vector<double>();
  if (scales.empty() ? sizes.size() != n : scales.size() != n)
    c.fail(scales.size(), " scales and ", sizes.size(), " lengths for ", n, " axes");
  const std::string policy = c.text("keep_aspect_ratio_policy", "stretch");
  std::vector<Axis> axes;
  for (int i = 0; i < x.ndim(); ++i) axes.push_back({x.shape()[i], x.shape()[i], 1, 0, 1});
  double common = 0;
  if (scales.empty() && policy != "stretch") {
    for (std::size_t i = 0; i < n; ++i) {
      const double s = static_cast<double>(sizes[i]) / static_cast<double>(x.shape(which[i]));
      common = i == 0 ? s : policy == "not_larger" ? std::min(common, s) : std::max(common, s);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    Axis& a = axes[static_cast<std::size_t>(c.axis(which[i], x.ndim()))];
    if (!scales.empty()) {
      a = scaled(c, a.in, scales[i]);
    } else {
      a.out = common ? static_cast<int64_t>(std::floor(common * static_cast<double>(a.in) + 0.5)) : sizes[i];
      if (a.out < 0) c.fail("lengths must be 0 or more, not ", a.out);
      a.scale = common ? common : static_cast<double>(a.out) / static_cast<double>(a.in);
    }
    if (roi.size() == 2 * n) a.roi_start = roi[i], a.roi_end = roi[i + n];
  }
  return finish(c, r, axes);
}

// The predecessor of Resize; positions are rounded towards zero.
Variables upsample(const Call& c) {
  Resize r;
  r.mode = c.text("mode", "nearest");
  if (r.mode != "nearest") r.mode = "linear";
  r.coordinates = "asymmetric";
  r.rounding = "floor";
  const std::vector<double> scales = c.has(1) ? c.array(1).to_vector<double>() : c.reals("scales");
  if (static_cast<int>(scales.size()) != c[0].ndim()) c.fail(scales.size(), " scales for ", c[0].ndim(), " axes");
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < scales.size(); ++i)
    axes.push_back(scaled(c, c[0].shape()[static_cast<int64_t>(i)], scales[i]));
  return finish(c, r, axes);
}

constexpr Operator kOperators[] = {{"Resize", 10, resize}, {"Upsample", 7, upsample}};

}  // namespace

std::span<const Operator> image_operators() { return kOperators; }

}  // namespace chainer::onnx
