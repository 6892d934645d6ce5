// SPDX-License-Identifier: MIT
#include "chainer/links/convolution.h"

namespace chainer::links {

ConvolutionOptions DilatedConvolution2D::reordered(const DilatedConvolution2DOptions& o) {
  return {.stride = o.stride,
          .pad = o.pad,
          .nobias = o.nobias,
          .initialW = o.initialW,
          .initial_bias = o.initial_bias,
          .dilate = o.dilate};
}

CHAINER_DEFINE_MEMBERS(DilatedConvolution2D, W, b)

}  // namespace chainer::links
