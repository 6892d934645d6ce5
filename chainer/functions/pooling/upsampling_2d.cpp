// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/indices.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"

namespace chainer::functions {

Variable Upsampling2D::operator()(const Variable& x, const Array& indexes, const PerAxis& ksize,
                                  const UnpoolingOptions& o) const {
  check_images("Upsampling2D", x, 2);
  if (indexes.shape() != x.shape() || is_floating(indexes.dtype()))
    throw DimensionError("upsampling_2d: indexes must be integers of x's shape ", x.shape(), ", not ", indexes.dtype(),
                         " of shape ", indexes.shape());
  const PoolingPlan plan = unpooling_plan(name, x.shape(), ksize, o.stride, o.pad, o.outsize, o.cover_all);
  const ImageOrder order(x.array());
  const int64_t volume = plan.ksize.product();
  if (!indexes.device().is_host() && indexes.device() == x.device()) {
    const auto fail = [](int64_t index, int64_t, const IndexCheck& c) {
      throw IndexError("upsampling_2d: index ", index, " is outside a window of ", c.size, " elements");
    };
    const Array places = order.take(indexes, int64);
    Array checked(places.shape(), int64, x.device());
    x.device().backend().check_indices({.size = volume, .fail = fail}, places, checked);
    return window_pick("Upsampling2D", Pooling::scatter, plan, checked.astype(int32), order, x);
  }
  const Array positions = order.take(to_host(indexes), int64);
  const int64_t* const places = positions.data<int64_t>();
  int64_t least = 0, most = 0;
  for (int64_t i = 0; i < positions.size(); ++i) {
    least = std::min(least, places[i]);
    most = std::max(most, places[i]);
  }
  if (least < 0 || most >= volume)
    throw IndexError("upsampling_2d: index ", least < 0 ? least : most, " is outside a window of ", plan.ksize,
                     ", 0 to ", volume - 1);
  return window_pick("Upsampling2D", Pooling::scatter, plan, positions.astype(int32).to_device(x.device()), order, x);
}

}  // namespace chainer::functions
