// SPDX-License-Identifier: MIT
#include "chainer/array/operations/families.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/channel_groups.h"

namespace chainer::functions {

Variable FixedDecorrelatedBatchNormalization::operator()(const Variable& x, const Variable& mean,
                                                         const Variable& projection,
                                                         const FixedDecorrelatedBatchNormalizationOptions& o) const {
  if (are_narrow(x, mean, projection))
    return cast((*this)(widened(x), widened(mean), widened(projection), o), x.dtype());
  type_check::check("FixedDecorrelatedBatchNormalization", {x.array(), mean.array(), projection.array()},
                    [](const type_check::TypeInfos& in) {
                      in.names({"x", "mean", "projection"});
                      using type_check::expect;
                      expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype());
                      expect(in[2].dtype() == in[0].dtype(), in[0].ndim() >= 2);
                    });
  check_groups(name, x, o.groups);
  const int64_t size = x.shape()[1] / o.groups;
  const Shape mean_shape{o.groups, size}, projection_shape{o.groups, size, size};
  if (mean.shape() != mean_shape)
    throw DimensionError(name, ": mean must have the shape ", mean_shape, ", not ", mean.shape());
  if (projection.shape() != projection_shape)
    throw DimensionError(name, ": projection must have the shape ", projection_shape, ", not ", projection.shape());
  const PlainPrecision plain;
  const Dtype d = compute_dtype(x.dtype());
  const Variable centered = to_groups(cast(x, d), o.groups) - cast(expand_dims(mean, 2), d);
  return cast(from_groups(matmul(cast(projection, d), centered), x.shape()), x.dtype());
}

}  // namespace chainer::functions
