// SPDX-License-Identifier: MIT
#include "chainer/functions/convolution.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection/picture_axes.h"
#include "chainer/links/convolution.h"

namespace chainer::links {

DeconvolutionND::DeconvolutionND(int64_t ndim, int64_t out_channels, const PerAxis& ksize,
                                 const DeconvolutionOptions& o)
    : W(o.initialW.value_or(initializers::LeCunNormal())),
      ksize_(ksize.on(static_cast<int>(ndim), "DeconvolutionND: ksize")),
      out_channels_(out_channels),
      options_(o) {
  if (o.groups < 1 || out_channels % o.groups)
    throw ValueError("DeconvolutionND: ", out_channels, " output channels do not divide into ", o.groups, " groups");
  if (!o.nobias) b.emplace(o.initial_bias.value_or(0.0), Shape{out_channels});
}
void DeconvolutionND::initialize(int64_t in_channels) {
  if (in_channels % options_.groups)
    throw ValueError("DeconvolutionND: ", in_channels, " input channels do not divide into ", options_.groups,
                     " groups");
  Shape shape{in_channels, out_channels_ / options_.groups};
  for (int64_t k : ksize_) shape.push_back(k);
  W.initialize(shape);
}

Variable DeconvolutionND::forward(const Variable& x) {
  check_picture_axes(class_name(), x, ksize_.ndim());
  if (!W.is_initialized()) initialize(x.shape()[1]);
  const functions::DeconvolutionOptions o{options_.stride, options_.pad, options_.outsize, options_.dilate,
                                          options_.groups};
  return functions::deconvolution_nd(x, W, b ? b->variable() : Variable(), o);
}

CHAINER_DEFINE_MEMBERS(DeconvolutionND, W, b)
CHAINER_DEFINE_MEMBERS(Deconvolution1D, W, b)
CHAINER_DEFINE_MEMBERS(Deconvolution2D, W, b)
CHAINER_DEFINE_MEMBERS(Deconvolution3D, W, b)

}  // namespace chainer::links
