// SPDX-License-Identifier: MIT
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/regions.h"

namespace chainer::functions {
namespace {

// The weight of each pixel in the mean of a bin's points, along one axis.
PixelWeights mean_of_points(const PointsAlong& points, int64_t length) {
  std::vector<double> weight(static_cast<std::size_t>(length));
  for (const auto& [low, part] : points.inside) {
    const auto at = static_cast<std::size_t>(low);
    weight[at] += (1 - part) / points.count;
    if (part > 0) weight[at + 1] += part / points.count;
  }
  PixelWeights out;
  for (int64_t i = 0; i < length; ++i)
    if (const double w = weight[static_cast<std::size_t>(i)]; w != 0) out.emplace_back(i, w);
  return out;
}

}  // namespace

Variable RoiAverageAlign2D::operator()(const Variable& x, const Variable& rois, const Variable& roi_indices,
                                       IntPair outsize, double spatial_scale, const RoiAverageAlign2DOptions& o) const {
  const Regions regions = read_regions(name, "ROIAverageAlign2D", x, rois, roi_indices, outsize, spatial_scale);
  const IntPair ratio = checked_ratio(name, o.sampling_ratio);
  return region_sums(
      x, regions, outsize, [&](double begin, double end, int64_t bin, int64_t bins, int64_t length, int axis) {
        return mean_of_points(points_along(begin, end, bin, bins, axis == 0 ? ratio.h : ratio.w, length), length);
      });
}

}  // namespace chainer::functions
