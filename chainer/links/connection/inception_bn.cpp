// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/pooling.h"
#include "chainer/links/inception.h"

namespace chainer::links {
namespace {
Convolution2D convolution(std::optional<int64_t> in, int64_t out, int64_t ksize, int64_t stride,
                          const InceptionBNOptions& o) {
  const ConvolutionOptions options{.stride = stride, .pad = ksize / 2, .nobias = true, .initialW = o.conv_init};
  return in ? Convolution2D(*in, out, ksize, options) : Convolution2D(out, ksize, options);
}
BatchNormalization normalization(int64_t size, const InceptionBNOptions& o) {
  return BatchNormalization(size, {.dtype = o.dtype});
}
}  // namespace

InceptionBN::InceptionBN(std::optional<int64_t> in, int64_t out1, int64_t p3, int64_t out3, int64_t p33, int64_t out33,
                         PoolType pooltype, const InceptionBNOptions& o)
    : proj3(convolution(in, p3, 1, 1, o)),
      conv3(convolution(p3, out3, 3, o.stride, o)),
      proj33(convolution(in, p33, 1, 1, o)),
      conv33a(convolution(p33, out33, 3, 1, o)),
      conv33b(convolution(out33, out33, 3, o.stride, o)),
      proj3n(normalization(p3, o)),
      conv3n(normalization(out3, o)),
      proj33n(normalization(p33, o)),
      conv33an(normalization(out33, o)),
      conv33bn(normalization(out33, o)),
      pooltype_(pooltype),
      stride_(o.stride) {
  if (out1 > 0) {
    if (o.stride != 1 || !o.proj_pool)
      throw ValueError("InceptionBN: the 1x1 path (out1 ", out1, ") needs stride 1, not ", o.stride, ", and proj_pool");
    conv1.emplace(convolution(in, out1, 1, 1, o));
    conv1n.emplace(normalization(out1, o));
  }
  if (o.proj_pool) {
    poolp.emplace(convolution(in, *o.proj_pool, 1, 1, o));
    poolpn.emplace(normalization(*o.proj_pool, o));
  }
}

Variable InceptionBN::forward(const Variable& x) {
  namespace F = functions;
  Variables outs;
  if (conv1) outs.push_back(F::relu((*conv1n)((*conv1)(x))));
  outs.push_back(F::relu(conv3n(conv3(F::relu(proj3n(proj3(x)))))));
  const Variable h = F::relu(conv33an(conv33a(F::relu(proj33n(proj33(x))))));
  outs.push_back(F::relu(conv33bn(conv33b(h))));
  Variable pool = pooltype_ == PoolType::max
                      ? F::max_pooling_2d(x, 3, {.stride = stride_, .pad = 1, .cover_all = false})
                      : F::average_pooling_2d(x, 3, {.stride = stride_, .pad = 1});
  if (poolp) pool = F::relu((*poolpn)((*poolp)(pool)));
  outs.push_back(pool);
  return F::concat(outs, 1);
}

CHAINER_DEFINE_MEMBERS(InceptionBN, proj3, conv3, proj33, conv33a, conv33b, proj3n, conv3n, proj33n, conv33an, conv33bn,
                       conv1, conv1n, poolp, poolpn)

}  // namespace chainer::links
