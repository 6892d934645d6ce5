// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/indices.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/regions.h"

namespace chainer::functions {

Variable RoiPooling2D::operator()(const Variable& x, const Variable& rois, int64_t outh, int64_t outw,
                                  double spatial_scale) const {
  type_check::check("ROIPooling2D", {x.array(), rois.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "rois"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
    expect_dtype_of_regions(in);
    expect(in[1].ndim() == 2, in[1].shape(1) == 5);
  });
  if (outh < 1 || outw < 1 || !(spatial_scale > 0))
    throw ValueError("roi_pooling_2d: outh, outw and spatial_scale must be positive, not ", outh, ", ", outw, " and ",
                     spatial_scale);
  const Shape& s = x.shape();
  if (!rois.device().is_host() && rois.device() == x.device()) {
    const auto fail = [](int64_t, int64_t position, const IndexCheck& check) {
      throw ValueError(
          "roi_pooling_2d: region ", position / 5,
          position % 5 == 0 ? " refers to an image that is not there" : " has a coordinate that is not finite",
          "; x has ", check.lengths[0], " images");
    };
    return region_maxima(x, checked_regions(rois.array().astype(float64), s[0], fail), {outh, outw}, spatial_scale);
  }
  const Array regions = dense(to_host(rois.array()), float64);
  const double* numbers = regions.data<double>();
  for (int64_t i = 0; i < regions.size(); ++i)
    if (!std::isfinite(numbers[i]) || (i % 5 == 0 && !(numbers[i] >= 0 && numbers[i] < static_cast<double>(s[0]))))
      throw ValueError("roi_pooling_2d: region ", i / 5,
                       i % 5 == 0 ? " refers to image " : " has a coordinate that is not finite: ", numbers[i],
                       "; x has ", s[0], " images");
  return region_maxima(x, regions, {outh, outw}, spatial_scale);
}

}  // namespace chainer::functions
