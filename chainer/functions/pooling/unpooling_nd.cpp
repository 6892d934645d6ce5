// SPDX-License-Identifier: MIT
// unpooling_nd and its ranks 1d, 2d, 3d.
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"

namespace chainer::functions {
namespace {

Variable unpool(std::string_view function, const char* label, int axes, const Variable& x, const PerAxis& ksize,
                const UnpoolingOptions& o) {
  check_images(label, x, axes);
  const PoolingPlan plan = unpooling_plan(function, x.shape(), ksize, o.stride, o.pad, o.outsize, o.cover_all);
  return window_sum(label, Pooling::spread, plan, x);
}

}  // namespace

Variable UnpoolingND::operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& o) const {
  return unpool(name, "UnpoolingND", 0, x, ksize, o);
}
Variable Unpooling1D::operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& o) const {
  return unpool(name, "UnpoolingND", 1, x, ksize, o);
}
Variable Unpooling2D::operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& o) const {
  return unpool(name, "Unpooling2D", 2, x, ksize, o);
}
Variable Unpooling3D::operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& o) const {
  return unpool(name, "UnpoolingND", 3, x, ksize, o);
}

}  // namespace chainer::functions
