// SPDX-License-Identifier: MIT
#include "chainer/links/inception.h"

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/pooling.h"

namespace chainer::links {
namespace {
Convolution2D convolution(std::optional<int64_t> in, int64_t out, int64_t ksize, const InceptionOptions& o) {
  const ConvolutionOptions options{.pad = ksize / 2, .initialW = o.conv_init, .initial_bias = o.bias_init};
  return in ? Convolution2D(*in, out, ksize, options) : Convolution2D(out, ksize, options);
}
}  // namespace

Inception::Inception(std::optional<int64_t> in, int64_t out1, int64_t p3, int64_t out3, int64_t p5, int64_t out5,
                     int64_t proj_pool, const InceptionOptions& o)
    : conv1(convolution(in, out1, 1, o)),
      proj3(convolution(in, p3, 1, o)),
      conv3(convolution(p3, out3, 3, o)),
      proj5(convolution(in, p5, 1, o)),
      conv5(convolution(p5, out5, 5, o)),
      projp(convolution(in, proj_pool, 1, o)) {}

Variable Inception::forward(const Variable& x) {
  namespace F = functions;
  const Variable one = conv1(x), three = conv3(F::relu(proj3(x))), five = conv5(F::relu(proj5(x)));
  const Variable pool = projp(F::max_pooling_2d(x, 3, {.stride = 1, .pad = 1}));
  return F::relu(F::concat({one, three, five, pool}, 1));
}

CHAINER_DEFINE_MEMBERS(Inception, conv1, proj3, conv3, proj5, conv5, projp)

}  // namespace chainer::links
