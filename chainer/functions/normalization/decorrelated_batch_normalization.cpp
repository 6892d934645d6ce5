// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/operations/families.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/channel_groups.h"
#include "chainer/functions/normalization/inverse_square_root.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

void check_groups(std::string_view name, const Variable& x, int64_t groups) {
  if (groups < 1 || x.shape()[1] % groups != 0)
    throw ValueError(name, ": groups must be positive and divide the ", x.shape()[1], " channels of x, not ", groups);
}

Variable to_groups(const Variable& x, int64_t groups) {
  const int64_t c = x.shape()[1], n = c ? x.size() / c : 0;
  return moveaxis(x, 1, 0).reshape({groups, c / groups, n});
}

Variable from_groups(const Variable& rows, const Shape& shape) {
  Shape channels_first{shape[1], shape[0]};
  for (int d = 2; d < shape.ndim(); ++d) channels_first.push_back(shape[d]);
  return moveaxis(rows.reshape(channels_first), 0, 1);
}

// Composed of functions, so that gradients of every order exist.
Variable DecorrelatedBatchNormalization::operator()(const Variable& x,
                                                    const DecorrelatedBatchNormalizationOptions& o) const {
  if (are_narrow(x)) return cast((*this)(widened(x), o), x.dtype());
  type_check::check("DecorrelatedBatchNormalization", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() >= 2);
  });
  check_groups(name, x, o.groups);
  const int64_t size = x.shape()[1] / o.groups;
  const Shape mean_shape{o.groups, size}, projection_shape{o.groups, size, size};
  if (o.running_mean && o.running_mean.shape() != mean_shape)
    throw DimensionError(name, ": running_mean must have the shape ", mean_shape, ", not ", o.running_mean.shape());
  if (o.running_projection && o.running_projection.shape() != projection_shape)
    throw DimensionError(name, ": running_projection must have the shape ", projection_shape, ", not ",
                         o.running_projection.shape());
  if (x.size() == 0) return identity(x);
  const PlainPrecision plain;
  const Dtype d = compute_dtype(x.dtype());
  const Variable rows = to_groups(cast(x, d), o.groups), average = mean(rows, 2, {.keepdims = true});
  const Variable centered = rows - average;
  const auto count = static_cast<double>(rows.shape()[2]);
  const Array diagonal = (eye(size, {}, 0, d) * o.eps).to_device(x.device());
  const Variable projection =
      inverse_square_root(matmul(centered, centered, {.transb = true}) * (1 / count) + diagonal);
  const auto update = [&](Array running, const Array& now, double factor) {
    if (!running) return;
    running *= o.decay;
    running += (now * (factor * (1 - o.decay))).astype(running.dtype()).reshape(running.shape());
  };
  update(o.running_mean, average.array(), 1);
  update(o.running_projection, projection.array(), count / std::max(count - 1, 1.0));
  return cast(from_groups(matmul(projection, centered), x.shape()), x.dtype());
}

}  // namespace chainer::functions
