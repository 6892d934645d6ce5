// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/regions.h"

namespace chainer::functions {
namespace {

// The weight of each pixel of a bin in its mean, along one axis. Bins that meet inside of a pixel share it.
PixelWeights mean_of_pixels(double begin, double end, int64_t bin, int64_t bins, int64_t length) {
  const double width = std::max(end - begin, 1.0) / static_cast<double>(bins);
  const auto inside = [&](double at) {
    return static_cast<int64_t>(std::clamp(at + begin, 0.0, static_cast<double>(length)));
  };
  const int64_t from = inside(std::floor(static_cast<double>(bin) * width)),
                to = inside(std::ceil(static_cast<double>(bin + 1) * width));
  PixelWeights out;
  for (int64_t i = from; i < to; ++i) out.emplace_back(i, 1.0 / static_cast<double>(to - from));
  return out;
}

}  // namespace

Variable RoiAveragePooling2D::operator()(const Variable& x, const Variable& rois, const Variable& roi_indices,
                                         IntPair outsize, double spatial_scale) const {
  Regions regions = read_regions(name, "ROIAveragePooling2D", x, rois, roi_indices, outsize, spatial_scale);
  round_corners(regions);
  return region_sums(x, regions, outsize, [](double begin, double end, int64_t bin, int64_t bins, int64_t length, int) {
    return mean_of_pixels(begin, end, bin, bins, length);
  });
}

}  // namespace chainer::functions
