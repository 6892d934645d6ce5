#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/key_order.h"
#include "chainer/functions/normalization/normalize_batch.h"

namespace chainer::functions {

Variable FixedBatchNormalization::operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                                             const Variable& mean, const Variable& var,
                                             const FixedBatchNormalizationOptions& o) const {
  const Dims averaged = averaged_axes("FixedBatchNormalization",
                                      {x.array(), gamma.array(), beta.array(), mean.array(), var.array()}, o.axis);
  const Shape expanded = KeyOrder(x.array(), averaged).expanded();
  const Dtype d = compute_dtype(x.dtype());
  const auto wide = [d](const Variable& v) { return cast(v, d); };
  const Variable scale = wide(gamma) * rsqrt(wide(var) + o.eps);
  const Variable centered = wide(x) - reshape(wide(mean), expanded);
  const Variable y = cast(centered * reshape(scale, expanded) + reshape(wide(beta), expanded), x.dtype());
  return composite("FixedBatchNormalization", {&x, &gamma, &beta, &mean, &var}, y,
                   [&](NodeAttributes& a) { a("eps", o.eps)("averaged", averaged); });
}

}  // namespace chainer::functions
