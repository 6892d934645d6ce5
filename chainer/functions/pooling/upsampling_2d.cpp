#include "chainer/array/host.h"
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
  const Array positions = order.take(to_host(indexes), int64);
  const int64_t volume = plan.ksize.product();
  for (int64_t i = 0; i < positions.size(); ++i)
    if (const int64_t at = positions.data<int64_t>()[i]; at < 0 || at >= volume)
      throw IndexError("upsampling_2d: index ", at, " is outside of a window of ", plan.ksize, ", 0 to ", volume - 1);
  return window_pick("Upsampling2D", Pooling::scatter, plan, positions.astype(int32).to_device(x.device()), order, x);
}

}  // namespace chainer::functions
