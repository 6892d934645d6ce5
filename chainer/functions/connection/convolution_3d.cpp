// SPDX-License-Identifier: MIT
#include "chainer/functions/connection/convolution_nodes.h"
#include "chainer/functions/convolution.h"

namespace chainer::functions {

Variable Convolution3D::operator()(const Variable& x, const Variable& W, const Variable& b,
                                   const ConvolutionOptions& options) const {
  return convolve(3, x, W, b, options);
}

}  // namespace chainer::functions
