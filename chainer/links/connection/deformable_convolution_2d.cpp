// SPDX-License-Identifier: MIT
#include "chainer/functions/convolution.h"
#include "chainer/links/convolution.h"

namespace chainer::links {
namespace {
Convolution2D offsets(std::optional<int64_t> in_channels, const PerAxis& ksize,
                      const DeformableConvolution2DOptions& o) {
  const int64_t channels = 2 * ksize.on(2, "DeformableConvolution2D: ksize").product();
  const ConvolutionOptions options{.stride = o.stride,
                                   .pad = o.pad,
                                   .nobias = o.offset_nobias,
                                   .initialW = o.offset_initialW,
                                   .initial_bias = o.offset_initial_bias};
  return in_channels ? Convolution2D(*in_channels, channels, ksize, options) : Convolution2D(channels, ksize, options);
}
}  // namespace

DeformableConvolution2D::Sampler::Sampler(std::optional<int64_t> in_channels, int64_t out_channels,
                                          const PerAxis& ksize, const DeformableConvolution2DOptions& o)
    : W(o.deform_initialW.value_or(0.0)),
      out_channels_(out_channels),
      ksize_(ksize.on(2, "DeformableConvolution2D: ksize")),
      stride_(o.stride),
      pad_(o.pad) {
  if (in_channels) W.initialize({out_channels, *in_channels, ksize_[0], ksize_[1]});
  if (!o.deform_nobias) b.emplace(o.deform_initial_bias.value_or(0.0), Shape{out_channels});
}
Variable DeformableConvolution2D::Sampler::forward(const Variable& x, const Variable& offset) {
  if (!W.is_initialized()) W.initialize({out_channels_, x.shape(1), ksize_[0], ksize_[1]});
  return functions::deformable_convolution_2d_sampler(x, offset, W, b ? b->variable() : Variable(),
                                                      {.stride = stride_, .pad = pad_});
}

DeformableConvolution2D::DeformableConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                                                 const PerAxis& ksize, const DeformableConvolution2DOptions& o)
    : offset_conv(offsets(in_channels, ksize, o)), deform_conv(in_channels, out_channels, ksize, o) {}
Variable DeformableConvolution2D::forward(const Variable& x) { return deform_conv(x, offset_conv(x)); }

CHAINER_DEFINE_MEMBERS(DeformableConvolution2D::Sampler, W, b)
CHAINER_DEFINE_MEMBERS(DeformableConvolution2D, offset_conv, deform_conv)

}  // namespace chainer::links
