// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/im2col.h"

namespace chainer::functions {

Variable SpatialTransformerGrid::operator()(const Variable& theta, IntPair output_shape) const {
  type_check::check("SpatialTransformerGrid", {theta.array()}, [](const type_check::TypeInfos& in) {
    in.names({"theta"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 3);
    type_check::expect(in[0].shape(1) == 2, in[0].shape(2) == 3);
  });
  const auto [h, w] = output_shape;
  if (h < 1 || w < 1)
    throw ValueError("spatial_transformer_grid: the output's height and width must be positive, got ", h, " and ", w);
  Array at = ones({3, h, w}, float64);  // (x, y, 1) of each pixel
  at.set(0, linspace(-1, 1, w));
  at.set(1, linspace(-1, 1, h).reshape({h, 1}));
  const Variable points(at.reshape({3, h * w}).astype(theta.dtype()).to_device(theta.device()), false);
  const PlainPrecision plain;
  return matmul(theta, points).reshape({theta.shape()[0], 2, h, w});
}

}  // namespace chainer::functions
