// SPDX-License-Identifier: MIT
#include "chainer/functions/connection/convolution_nodes.h"
#include "chainer/functions/convolution.h"

namespace chainer::functions {

Variable Deconvolution3D::operator()(const Variable& x, const Variable& W, const Variable& b,
                                     const DeconvolutionOptions& options) const {
  return deconvolve(3, x, W, b, options);
}

}  // namespace chainer::functions
