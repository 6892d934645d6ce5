// SPDX-License-Identifier: MIT
#include "chainer/functions/convolution.h"

namespace chainer::functions {

Variable DilatedConvolution2D::operator()(const Variable& x, const Variable& W, const Variable& b,
                                          const DilatedConvolution2DOptions& o) const {
  return convolution_2d(x, W, b, {.stride = o.stride, .pad = o.pad, .cover_all = o.cover_all, .dilate = o.dilate});
}

}  // namespace chainer::functions
