// SPDX-License-Identifier: MIT
#include "chainer/functions/connection/convolution_nodes.h"
#include "chainer/functions/convolution.h"

namespace chainer::functions {

Variable Convolution2D::operator()(const Variable& x, const Variable& W, const Variable& b,
                                   const ConvolutionOptions& options) const {
  return convolve(2, x, W, b, options);
}

}  // namespace chainer::functions
