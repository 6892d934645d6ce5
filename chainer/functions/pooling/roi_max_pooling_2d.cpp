// SPDX-License-Identifier: MIT
#include "chainer/array/operations/indices.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/regions.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

// The same rows for regions on a device, which checks them.
Array rows_on_device(const Array& rois, const Array& images, int64_t count, double spatial_scale) {
  const Array corners = rint(rois.astype(float64) * spatial_scale);
  const auto column = [&](int64_t k) { return corners[{Slice(), Slice(k, k + 1)}]; };
  const Array rows =
      concatenate({images.astype(float64).reshape({-1, 1}), column(1), column(0), column(3) - 1, column(2) - 1}, 1);
  return checked_regions(rows, count, [](int64_t, int64_t position, const IndexCheck& check) {
    if (position % 5 == 0)
      throw IndexError("roi_max_pooling_2d: region ", position / 5, " refers to an image that is not there, x has ",
                       check.lengths[0], " images");
    throw ValueError("roi_max_pooling_2d: region ", position / 5, " has a coordinate that is not finite");
  });
}

}  // namespace

Variable RoiMaxPooling2D::operator()(const Variable& x, const Variable& rois, const Variable& roi_indices,
                                     IntPair outsize, double spatial_scale) const {
  if (!x.device().is_host() && rois.device() == x.device() && roi_indices.device() == x.device()) {
    check_regions(name, "ROIMaxPooling2D", x, rois, roi_indices, outsize, spatial_scale);
    return region_maxima(x, rows_on_device(rois.array(), roi_indices.array(), x.shape()[0], spatial_scale), outsize, 1);
  }
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
