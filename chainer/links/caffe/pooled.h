// SPDX-License-Identifier: MIT
// Caffe's pooling.
#pragma once
#include "chainer/autograd/variable.h"
#include "chainer/links/caffe/net.h"

namespace chainer::links::caffe {

/// Returns the maxima or means of the windows of images (N, C, h, w). As in Caffe, the last window may extend past the
/// padding unless the layer rounds down, but must begin before it; means leave out what is past the padding. Throws
/// DimensionError for other than images, ValueError for windows that do not fit.
Variable pooled(const chainer::caffe::Layer& layer, const Variable& x);

}  // namespace chainer::links::caffe
