// SPDX-License-Identifier: MIT
#include "chainer/functions/convolution.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/convolution.h"

namespace chainer::links {

DepthwiseConvolution2D::DepthwiseConvolution2D(std::optional<int64_t> in_channels, int64_t channel_multiplier,
                                               const PerAxis& ksize, const DepthwiseConvolution2DOptions& o)
    : W(o.initialW.value_or(initializers::LeCunNormal())),
      channel_multiplier_(channel_multiplier),
      ksize_(ksize.on(2, "DepthwiseConvolution2D: ksize")),
      stride_(o.stride),
      pad_(o.pad) {
  if (!o.nobias) b.emplace(o.initial_bias.value_or(0.0));
  if (in_channels) initialize(*in_channels);
}

void DepthwiseConvolution2D::initialize(int64_t in_channels) {
  W.initialize({channel_multiplier_, in_channels, ksize_[0], ksize_[1]});
  if (b) b->initialize({in_channels * channel_multiplier_});
}

Variable DepthwiseConvolution2D::forward(const Variable& x) {
  if (!W.is_initialized()) initialize(x.shape(1));
  return functions::depthwise_convolution_2d(x, W, b ? b->variable() : Variable(), {.stride = stride_, .pad = pad_});
}

CHAINER_DEFINE_MEMBERS(DepthwiseConvolution2D, W, b)

}  // namespace chainer::links
