// SPDX-License-Identifier: MIT
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/roi_pooling.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/regions.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

// The points of all bins: the four rows of pixels around each, with their weights, and the first point of each bin.
struct BinPoints {
  std::vector<int64_t> rows, starts;
  std::vector<double> weights;
};

BinPoints points_of(const Regions& regions, const Shape& s, IntPair outsize, IntPair ratio) {
  BinPoints out;
  out.starts.push_back(0);
  const int64_t h = s[2], w = s[3];
  for (std::size_t r = 0; r < regions.images.size(); ++r) {
    const auto& [top, left, bottom, right] = regions.corners[r];
    const int64_t image = regions.images[r] * h;
    for (int64_t i = 0; i < outsize.h; ++i) {
      const PointsAlong ys = points_along(top, bottom, i, outsize.h, ratio.h, h);
      for (int64_t j = 0; j < outsize.w; ++j) {
        const PointsAlong xs = points_along(left, right, j, outsize.w, ratio.w, w);
        for (const auto& [y, down] : ys.inside) {
          for (const auto& [x, along] : xs.inside) {
            const int64_t y_next = y + (down > 0), x_next = x + (along > 0);
            out.rows.insert(out.rows.end(), {(image + y) * w + x, (image + y) * w + x_next, (image + y_next) * w + x,
                                             (image + y_next) * w + x_next});
            out.weights.insert(out.weights.end(),
                               {(1 - down) * (1 - along), (1 - down) * along, down * (1 - along), down * along});
          }
        }
        out.starts.push_back(static_cast<int64_t>(out.rows.size() / 4));
      }
    }
  }
  return out;
}

}  // namespace

// A constant choice of points; their values are linear in x.
Variable RoiMaxAlign2D::operator()(const Variable& x, const Variable& rois, const Variable& roi_indices,
                                   IntPair outsize, double spatial_scale, const RoiAverageAlign2DOptions& o) const {
  const Regions regions = read_regions(name, "ROIMaxAlign2D", x, rois, roi_indices, outsize, spatial_scale);
  const IntPair ratio = checked_ratio(name, o.sampling_ratio);
  const Shape& s = x.shape();
  const int64_t n_rois = rois.shape()[0], c = s[1], bins = n_rois * outsize.h * outsize.w;
  const BinPoints points = x.size() ? points_of(regions, s, outsize, ratio) : BinPoints{};
  if (points.rows.empty()) return zeros({n_rois, c, outsize.h, outsize.w}, x.dtype(), x.device());
  const Dtype d = compute_dtype(x.dtype());
  const Variable pixels = cast(moveaxis(x, 1, -1).reshape({s[0] * s[2] * s[3], c}), d);
  const Array values = dense(pixels.array(), d);
  const auto all_on = [&](const Device& place) {
    return Arrays{array(points.rows).reshape({-1, 4}).to_device(place),
                  array(points.weights).reshape({-1, 4}).to_device(place), array(points.starts).to_device(place),
                  Array({bins, c}, int64, place)};
  };
  const Device device = x.device();
  Arrays table = all_on(device);
  const auto on_host = [&] { host_kernels::roi_align_argmax(to_host(values), table[0], table[1], table[2], table[3]); };
  if (device.is_host()) {
    on_host();
  } else if (!device.backend().roi_align_argmax(values, table[0], table[1], table[2], table[3])) {
    table = all_on(Device());
    on_host();
  }
  const Array &around = table[0], &weights = table[1], &at = table[3];
  const Array found = at >= 0, point = chainer::maximum(at, 0);
  Variable y;
  for (int64_t k = 0; k < 4; ++k) {
    const Array row = take(around[{Slice(), k}], point), weight = take(weights[{Slice(), k}], point);
    const Array used = chainer::where(found, weight, constant(0, float64, at.device())).astype(d).to_device(device);
    const Variable part = get_item(pixels, {row, arange(c)}) * used;
    y = k == 0 ? part : y + part;
  }
  return cast(moveaxis(y.reshape({n_rois, outsize.h, outsize.w, c}), -1, 1), x.dtype());
}

}  // namespace chainer::functions
