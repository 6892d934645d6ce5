// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/im2col.h"

namespace chainer::functions {

Variable LocalConvolution2D::operator()(const Variable& x, const Variable& W, const Variable& b,
                                        const LocalConvolution2DOptions& o) const {
  const auto again = [&](const auto&... in) { return (*this)(in..., o); };
  if (const auto y = in_mixed_precision(MixedPrecision::narrow, again, x, W, b)) return *y;
  if (mixed(x, W, b))
    return in_dtype_of_x("local_convolution_2d", x, W, b, [&](auto&&... in) { return (*this)(in..., o); });
  const Dims stride = o.stride.on(2, "local_convolution_2d: stride");
  if (stride[0] < 1 || stride[1] < 1) throw ValueError("local_convolution_2d: stride ", stride, " must be positive");
  Arrays in{x.array(), W.array()};
  if (b) in.push_back(b.array());
  type_check::check("local_convolution_2d", in, [&](const type_check::TypeInfos& t) {
    using type_check::expect;
    t.names({"x", "W", "b"});
    expect(t[0].dtype().kind() == 'f', t[1].dtype() == t[0].dtype(), t[0].ndim() == 4, t[1].ndim() == 6);
    expect(t[1].shape(3) == t[0].shape(1));
    for (int d = 0; d < 2; ++d)
      expect(t[1].shape(1 + d) ==
             type_check::make_variable(utils::get_conv_outsize(x.shape()[2 + d], W.shape()[4 + d], stride[d], 0),
                                       text("(x.shape()[", 2 + d, "] - W.shape()[", 4 + d, "]) / stride + 1")));
    if (t.count() == 3)
      expect(t[2].dtype() == t[0].dtype(), t[2].ndim() == 3, t[2].shape() == t[1].shape().slice(std::nullopt, 3));
  });
  const Shape& w = W.shape();
  const int64_t n = x.shape()[0], k = w[0], positions = w[1] * w[2], width = w[3] * w[4] * w[5];
  // One matrix product for each position: patches (n, width) and filters (width, k).
  const Variable patches =
      transpose(reshape(im2col(x, {w[4], w[5]}, {.stride = {stride[0], stride[1]}}), {n, width, positions}), {2, 0, 1});
  const Variable filters = transpose(reshape(W, {k, positions, width}), {1, 2, 0});
  const Variable y = reshape(transpose(matmul(patches, filters), {1, 2, 0}), {n, k, w[1], w[2]});
  return b ? y + broadcast_to(b, y.shape()) : y;
}

}  // namespace chainer::functions
