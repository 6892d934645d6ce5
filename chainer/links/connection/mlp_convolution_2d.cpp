// SPDX-License-Identifier: MIT
#include "chainer/links/convolution.h"

namespace chainer::links {

MLPConvolution2D::MLPConvolution2D(std::optional<int64_t> in_channels, const std::vector<int64_t>& out_channels,
                                   const PerAxis& ksize, const MLPConvolution2DOptions& o)
    : activation_(o.activation) {
  if (out_channels.empty()) throw ValueError("MLPConvolution2D: out_channels must not be empty");
  for (std::size_t i = 0; i < out_channels.size(); ++i) {
    ConvolutionOptions options{.initialW = o.conv_init, .initial_bias = o.bias_init};
    if (i == 0) options.stride = o.stride, options.pad = o.pad;
    const std::optional<int64_t> in = i ? out_channels[i - 1] : in_channels;
    const PerAxis size = i ? PerAxis(1) : ksize;
    add_link(std::to_string(i),
             in ? Convolution2D(*in, out_channels[i], size, options) : Convolution2D(out_channels[i], size, options));
  }
}

Variable MLPConvolution2D::forward(const Variable& x) {
  Variable h;
  for (Link* layer : children()) h = layer->call(Variables{h ? activation_(h) : x})[0];
  return h;
}

CHAINER_DEFINE_MEMBERS(MLPConvolution2D)

}  // namespace chainer::links
