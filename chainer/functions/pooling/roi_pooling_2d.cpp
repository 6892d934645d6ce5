// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/roi_pooling.h"
#include "chainer/functions/array.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {

Variable RoiPooling2D::operator()(const Variable& x, const Variable& rois, int64_t outh, int64_t outw,
                                  double spatial_scale) const {
  type_check::check("ROIPooling2D", {x.array(), rois.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "rois"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4, in[0].dtype() == in[1].dtype());
    expect(in[1].ndim() == 2, in[1].shape(1) == 5);
  });
  if (outh < 1 || outw < 1 || !(spatial_scale > 0))
    throw ValueError("roi_pooling_2d: outh, outw and spatial_scale must be positive, not ", outh, ", ", outw, " and ",
                     spatial_scale);
  const Shape& s = x.shape();
  const int64_t n_rois = rois.shape()[0], bins = n_rois * outh * outw;
  const Array regions = dense(to_host(rois.array()), float64);
  const double* numbers = regions.data<double>();
  for (int64_t i = 0; i < regions.size(); ++i)
    if (!std::isfinite(numbers[i]) || (i % 5 == 0 && !(numbers[i] >= 0 && numbers[i] < static_cast<double>(s[0]))))
      throw ValueError("roi_pooling_2d: region ", i / 5,
                       i % 5 == 0 ? " refers to image " : " has a coordinate that is not finite: ", numbers[i],
                       "; x has ", s[0], " images");
  Array at({bins, s[1]}, int64);
  const Variable rows = moveaxis(x, 1, -1).reshape({s[0] * s[2] * s[3], s[1]});
  const Array pixels = dense(to_host(rows.array()), compute_dtype(x.dtype()));
  host_kernels::roi_argmax(pixels, s[2], s[3], regions, outh, outw, spatial_scale, at);
  const Array found = (at >= 0).to_device(x.device());
  if (x.size() == 0) return zeros({n_rois, s[1], outh, outw}, x.dtype(), x.device());
  const Variable picked = get_item(rows, {chainer::maximum(at, 0), arange(s[1])});
  const Variable y = where(found, picked, zeros(picked.shape(), x.dtype(), x.device()));
  return moveaxis(y.reshape({n_rois, outh, outw, s[1]}), -1, 1);
}

}  // namespace chainer::functions
