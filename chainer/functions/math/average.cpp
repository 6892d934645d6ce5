#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable Average::operator()(const Variable& x, const Axes& axis, const AverageOptions& o) const {
  const Dims axes = axis.normalized(x.ndim(), "average");
  if (!o.weights) {
    double count = 1;
    for (int64_t d : axes) count *= static_cast<double>(x.shape()[d]);
    return sum(x, axes, {.keepdims = o.keepdims}) * (1 / count);
  }
  Variable w = o.weights;
  if (w.shape() != x.shape()) {
    if (axes.ndim() != 1 || w.ndim() != 1 || w.shape()[0] != x.shape()[axes[0]])
      throw DimensionError("average: weights of shape ", w.shape(), " fit neither x of shape ", x.shape(),
                           " nor its axes ", axes);
    Shape wide = Dims::filled(x.ndim(), 1);
    wide[axes[0]] = w.shape()[0];
    w = reshape(w, wide);
  }
  w = broadcast_to(w, x.shape());
  return sum(x * w, axes, {.keepdims = o.keepdims}) / sum(w, axes, {.keepdims = o.keepdims});
}

}  // namespace chainer::functions
