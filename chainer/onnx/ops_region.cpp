// SPDX-License-Identifier: MIT
// Regions of images: pooling, and selection of boxes.
#include <algorithm>
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/pooling.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// The elements around a point and their weights: of the image's rows, one list for each of four corners.
struct Corners {
  std::vector<int64_t> index[4];
  std::vector<double> weight[4];

  void add(int64_t from, int64_t height, int64_t width, double y, double x) {
    const bool outside = y < -1 || x < -1 || y > static_cast<double>(height) || x > static_cast<double>(width);
    const auto place = [](double& at, int64_t n, int64_t& low, int64_t& high) {
      at = std::max(at, 0.0);
      low = static_cast<int64_t>(at);
      high = std::min(low + 1, n - 1);
      if (low >= n - 1) low = n - 1, at = static_cast<double>(low);
    };
    int64_t y0 = 0, y1 = 0, x0 = 0, x1 = 0;
    if (!outside) place(y, height, y0, y1), place(x, width, x0, x1);
    const double ly = outside ? 0 : y - static_cast<double>(y0), lx = outside ? 0 : x - static_cast<double>(x0);
    const double in = outside ? 0 : 1;
    const int64_t at[] = {y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1};
    const double w[] = {(1 - ly) * (1 - lx) * in, (1 - ly) * lx * in, ly * (1 - lx) * in, ly * lx * in};
    for (std::size_t k = 0; k < 4; ++k) index[k].push_back(from + at[k]), weight[k].push_back(w[k]);
  }
};

Variables roi_align(const Call& c) {
  const Variable &x = c[0], &rois = c[1];
  const int64_t H = c.integer("output_height", 1), W = c.integer("output_width", 1),
                ratio = c.integer("sampling_ratio", 0);
  const double scale = c.real("spatial_scale", 1.0);
  const bool shifted =
      c.text("coordinate_transformation_mode", c.opset() < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel";
  const std::string mode = c.text("mode", "avg");
  if (mode != "avg" && mode != "max") c.fail("unknown mode '", mode, "'");
  if (x.ndim() != 4 || x.size() == 0 || rois.ndim() != 2 || rois.shape(1) != 4 || H < 1 || W < 1)
    c.fail("images of shape ", x.shape(), " and regions of shape ", rois.shape(), " do not fit ", H, " x ", W, " bins");
  const int64_t N = x.shape(0), C = x.shape(1), height = x.shape(2), width = x.shape(3), R = rois.shape(0);
  checked_size({R, C, H, W}, item_size(x.dtype()), "RoiAlign");
  const std::vector<int64_t> images = c.values(2);
  if (static_cast<int64_t>(images.size()) != R) c.fail(images.size(), " images for ", R, " regions");
  const std::vector<double> at = rois.array().to_vector<double>();
  struct Region {
    double top, left, bin_height, bin_width;
    int64_t rows, columns;  // points of a bin
  };
  std::vector<Region> regions;
  int64_t most = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(R); ++r) {
    if (images[r] < 0 || images[r] >= N) c.fail("region ", r, " is of image ", images[r], " of ", N);
    const double shift = shifted ? 0.5 : 0;
    const auto edge = [&](std::size_t i) { return at[4 * r + i] * scale - shift; };
    double w = edge(2) - edge(0), h = edge(3) - edge(1);
    if (!std::isfinite(w) || !std::isfinite(h)) c.fail("region ", r, " is not finite");
    if (!shifted) w = std::max(w, 1.0), h = std::max(h, 1.0);
    const auto points = [&](double size, int64_t bins) {
      const double n = ratio > 0 ? static_cast<double>(ratio) : std::ceil(size / static_cast<double>(bins));
      if (n > 4096) c.fail("region ", r, " has ", n, " points in a bin, more than 4096");
      return std::max<int64_t>(static_cast<int64_t>(n), 0);
    };
    regions.push_back(
        {edge(1), edge(0), h / static_cast<double>(H), w / static_cast<double>(W), points(h, H), points(w, W)});
    most = std::max(most, regions.back().rows * regions.back().columns);
  }
  const Variable rows =
      F::reshape(F::transpose(F::reshape(x, {N, C, height * width}), {0, 2, 1}), {N * height * width, C});
  const Shape wide{R * H * W, 1};
  Variable y;
  for (int64_t k = 0; k < most; ++k) {  // the k-th point of each bin
    Corners corners;
    std::vector<bool> present;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const Region& g = regions[r];
      const bool has = k < g.rows * g.columns;
      for (int64_t b = 0; b < H * W; ++b) {
        present.push_back(has);
        if (!has) {
          corners.add(images[r] * height * width, height, width, -2, -2);
          continue;
        }
        const double py = g.top + (static_cast<double>(b / W) +
                                   (static_cast<double>(k / g.columns) + 0.5) / static_cast<double>(g.rows)) *
                                      g.bin_height;
        const double px = g.left + (static_cast<double>(b % W) +
                                    (static_cast<double>(k % g.columns) + 0.5) / static_cast<double>(g.columns)) *
                                       g.bin_width;
        corners.add(images[r] * height * width, height, width, py, px);
      }
    }
    Variable point;
    for (std::size_t i = 0; i < 4; ++i) {
      const Array index = array(corners.index[i], Shape{R * H * W});
      const Variable w(array(corners.weight[i], wide).astype(x.dtype()), false);
      const Variable part = F::get_item(rows, {index}) * F::broadcast_to(w, {R * H * W, C});
      point = !point ? part : mode == "avg" ? point + part : F::maximum(point, part);
    }
    if (!y)
      y = point;
    else if (mode == "avg")
      y = y + point;
    else
      y = F::where(Variable(broadcast_to(array(present).reshape(wide), y.shape()), false), F::maximum(y, point), y);
  }
  if (!y) return {Variable(zeros({R, C, H, W}, x.dtype()), false)};
  if (mode == "avg") {
    std::vector<double> share;
    for (const Region& g : regions)
      share.insert(share.end(), static_cast<std::size_t>(H * W),
                   1 / static_cast<double>(std::max<int64_t>(g.rows * g.columns, 1)));
    y = y * F::broadcast_to(Variable(array(share, wide).astype(x.dtype()), false), y.shape());
  }
  return {F::transpose(F::reshape(y, {R, H, W, C}), {0, 3, 1, 2})};
}

Variables max_roi_pool(const Call& c) {
  const std::vector<int64_t> shape = c.integers("pooled_shape");
  if (shape.size() != 2) c.fail("pooled_shape has ", shape.size(), " lengths, expected 2");
  // Rounded here: half a pixel is rounded away from zero, in float32.
  if (c[1].ndim() != 2 || c[1].shape(1) != 5) c.fail("expected regions (R, 5), got shape ", c[1].shape());
  const auto scale = static_cast<float>(c.real("spatial_scale", 1.0));
  std::vector<float> rois = c.array(1).to_vector<float>();
  for (std::size_t i = 0; i < rois.size(); ++i)
    if (i % 5) rois[i] = std::round(rois[i] * scale);
  const Array whole = array(rois, c[1].shape()).astype(c[0].dtype(), false);
  return {F::roi_pooling_2d(c[0], Variable(whole, false), shape[0], shape[1], 1)};
}

struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

double overlap(const Box& a, const Box& b) {
  const double h = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double w = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (h <= 0 || w <= 0 || a.area() <= 0 || b.area() <= 0) return 0;
  return h * w / (a.area() + b.area() - h * w);
}

// Selects boxes in the order of their scores that do not overlap a selected one too much.
Variables non_max_suppression(const Call& c) {
  const Variable &boxes = c[0], &scores = c[1];
  if (boxes.ndim() != 3 || scores.ndim() != 3 || boxes.shape(2) != 4 || scores.shape(0) != boxes.shape(0) ||
      scores.shape(2) != boxes.shape(1))
    c.fail("boxes of shape ", boxes.shape(), " do not fit scores of shape ", scores.shape());
  const int64_t most = c.has(2) ? c[2].item<int64_t>() : 0;
  const double threshold = c.has(3) ? c[3].item<double>() : 0;
  const bool limited = c.has(4), centred = c.integer("center_point_box", 0) != 0;
  const double least = limited ? c[4].item<double>() : 0;
  if (!(threshold >= 0 && threshold <= 1)) c.fail("iou_threshold is ", threshold, ", expected a number from 0 to 1");
  const std::vector<double> at = boxes.array().to_vector<double>(), points = scores.array().to_vector<double>();
  const int64_t N = boxes.shape(0), B = boxes.shape(1), K = scores.shape(1);
  std::vector<int64_t> out;
  for (int64_t n = 0; n < N; ++n) {
    std::vector<Box> all;
    for (int64_t b = 0; b < B; ++b) {
      const double* const p = &at[static_cast<std::size_t>((n * B + b) * 4)];
      if (centred)
        all.push_back({p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2});
      else
        all.push_back({std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])});
    }
    for (int64_t k = 0; k < K && most > 0; ++k) {
      const double* const score = points.data() + (n * K + k) * B;
      std::vector<int64_t> order;
      for (int64_t b = 0; b < B; ++b)
        if (!limited || score[b] > least) order.push_back(b);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
      std::vector<int64_t> kept;
      for (const int64_t b : order) {
        if (static_cast<int64_t>(kept.size()) >= most) break;
        const bool free = std::none_of(kept.begin(), kept.end(), [&](int64_t o) {
          return overlap(all[static_cast<std::size_t>(b)], all[static_cast<std::size_t>(o)]) > threshold;
        });
        if (free) kept.push_back(b);
      }
      for (const int64_t b : kept) out.insert(out.end(), {n, k, b});
    }
  }
  return {Variable(array(out, Shape{static_cast<int64_t>(out.size()) / 3, 3}), false)};
}

constexpr Operator kOperators[] = {
    {"MaxRoiPool", 1, max_roi_pool},
    {"NonMaxSuppression", 10, non_max_suppression},
    {"RoiAlign", 10, roi_align},
};

}  // namespace

std::span<const Operator> region_operators() { return kOperators; }

}  // namespace chainer::onnx
