// SPDX-License-Identifier: MIT
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/regions.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable RoiMaxPooling2D::operator()(const Variable& x, const Variable& rois, const Variable& roi_indices,
                                     IntPair outsize, double spatial_scale) const {
  Regions regions = read_regions(name, "ROIMaxPooling2D", x, rois, roi_indices, outsize, spatial_scale);
  round_corners(regions);
  // The rows of roi_pooling_2d(), whose corners at the end belong to the region.
  std::vector<double> rows;
  for (std::size_t r = 0; r < regions.images.size(); ++r) {
    const auto& [top, left, bottom, right] = regions.corners[r];
    rows.insert(rows.end(), {static_cast<double>(regions.images[r]), left, top, right - 1, bottom - 1});
  }
  return region_maxima(x, array(rows, {rois.shape()[0], 5}), outsize, 1);
}

}  // namespace chainer::functions
