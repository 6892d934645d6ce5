// SPDX-License-Identifier: MIT
#include "chainer/functions/convolution.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection/picture_axes.h"
#include "chainer/links/convolution.h"

namespace chainer::links {

ConvolutionND::ConvolutionND(int64_t ndim, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& o)
    : W(o.initialW.value_or(initializers::LeCunNormal())),
      ksize_(ksize.on(static_cast<int>(ndim), "ConvolutionND: ksize")),
      out_channels_(out_channels),
      options_(o) {
  if (o.groups < 1 || out_channels % o.groups)
    throw ValueError("ConvolutionND: ", out_channels, " output channels do not divide into ", o.groups, " groups");
  if (!o.nobias) b.emplace(o.initial_bias.value_or(0.0), Shape{out_channels});
}
void ConvolutionND::initialize(int64_t in_channels) {
  if (in_channels % options_.groups)
    throw ValueError("ConvolutionND: ", in_channels, " input channels do not divide into ", options_.groups, " groups");
  Shape shape{out_channels_, in_channels / options_.groups};
  for (int64_t k : ksize_) shape.push_back(k);
  W.initialize(shape);
}

Variable ConvolutionND::forward(const Variable& x) {
  check_picture_axes(class_name(), x, ksize_.ndim());
  if (!W.is_initialized()) initialize(x.shape()[1]);
  const functions::ConvolutionOptions o{options_.stride, options_.pad, options_.cover_all, options_.dilate,
                                        options_.groups};
  return functions::convolution_nd(x, W, b ? b->variable() : Variable(), o);
}

CHAINER_DEFINE_MEMBERS(ConvolutionND, W, b)
CHAINER_DEFINE_MEMBERS(Convolution1D, W, b)
CHAINER_DEFINE_MEMBERS(Convolution2D, W, b)
CHAINER_DEFINE_MEMBERS(Convolution3D, W, b)

}  // namespace chainer::links
