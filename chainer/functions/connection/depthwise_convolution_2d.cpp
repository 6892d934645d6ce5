// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/convolution.h"

namespace chainer::functions {

Variable DepthwiseConvolution2D::operator()(const Variable& x, const Variable& W, const Variable& b,
                                            const StrideAndPad& o) const {
  type_check::check("depthwise_convolution_2d", {x.array(), W.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "W"});
    type_check::expect(in[0].ndim() == 4, in[1].ndim() == 4, in[0].shape(1) == in[1].shape(1), in[0].shape(1) > 0);
  });
  const Shape& s = W.shape();
  const Variable filters = reshape(transpose(W, {1, 0, 2, 3}), {s[0] * s[1], 1, s[2], s[3]});
  return convolution_2d(x, filters, b, {.stride = o.stride, .pad = o.pad, .groups = s[1]});
}

}  // namespace chainer::functions
