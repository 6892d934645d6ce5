// SPDX-License-Identifier: MIT
// average_pooling_nd and its ranks 1d, 2d, 3d.
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"

namespace chainer::functions {
namespace {

Variable averaged(std::string_view function, const char* label, int axes, const Variable& x, const PerAxis& ksize,
                  const AveragePoolingOptions& o) {
  check_images(label, x, axes);
  if (o.pad_value && *o.pad_value != 0)
    throw ValueError(function, ": pad_value must be 0 or nullopt, not ", *o.pad_value);
  PoolingPlan plan = pooling_plan(function, x.shape(), ksize, o.stride, o.pad, false);
  plan.weight = o.pad_value ? PoolingPlan::Weight::volume : PoolingPlan::Weight::inside;
  return window_sum(label, Pooling::sum, plan, x);
}

}  // namespace

Variable AveragePoolingND::operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& o) const {
  return averaged(name, "AveragePoolingND", 0, x, ksize, o);
}
Variable AveragePooling1D::operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& o) const {
  return averaged(name, "AveragePoolingND", 1, x, ksize, o);
}
Variable AveragePooling2D::operator()(const Variable& x, const PerAxis& ksize, const AveragePooling2DOptions& o) const {
  return averaged(name, "AveragePooling2D", 2, x, ksize, {.stride = o.stride, .pad = o.pad});
}
Variable AveragePooling3D::operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& o) const {
  return averaged(name, "AveragePoolingND", 3, x, ksize, o);
}

}  // namespace chainer::functions
