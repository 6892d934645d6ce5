// SPDX-License-Identifier: MIT
#include "chainer/functions/convolution.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/convolution.h"
#include "chainer/routines/im2col.h"

namespace chainer::links {

LocalConvolution2D::LocalConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& in_size,
                                       const PerAxis& ksize, const LocalConvolution2DOptions& o)
    : W(o.initialW.value_or(initializers::LeCunNormal())),
      out_channels_(out_channels),
      ksize_(ksize.on(2, "LocalConvolution2D: ksize")),
      stride_(o.stride.on(2, "LocalConvolution2D: stride")) {
  if (!o.nobias) b.emplace(o.initial_bias.value_or(0.0));
  if (in_channels && in_size.given()) initialize(*in_channels, in_size.on(2, "LocalConvolution2D: in_size"));
}

void LocalConvolution2D::initialize(int64_t in_channels, const Dims& in_size) {
  Dims out;
  for (int d = 0; d < 2; ++d) {
    if (stride_[d] < 1) throw ValueError("LocalConvolution2D: stride ", stride_, " must be positive");
    out.push_back(utils::get_conv_outsize(in_size[d], ksize_[d], stride_[d], 0));
    if (out[d] < 1)
      throw DimensionError("LocalConvolution2D: a filter of ", ksize_, " does not fit into images of ", in_size);
  }
  W.initialize({out_channels_, out[0], out[1], in_channels, ksize_[0], ksize_[1]});
  if (b) b->initialize({out_channels_, out[0], out[1]});
}

Variable LocalConvolution2D::forward(const Variable& x) {
  if (!W.is_initialized()) {
    if (x.ndim() != 4)
      throw DimensionError("LocalConvolution2D: images (N, C, h, w) are needed, not shape ", x.shape());
    initialize(x.shape()[1], {x.shape()[2], x.shape()[3]});
  }
  return functions::local_convolution_2d(x, W, b ? b->variable() : Variable(), {.stride = stride_});
}

CHAINER_DEFINE_MEMBERS(LocalConvolution2D, W, b)

}  // namespace chainer::links
