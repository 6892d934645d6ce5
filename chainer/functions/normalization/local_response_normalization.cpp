// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/pooling/windows.h"

namespace chainer::functions {
namespace {

// Sums over neighbouring channels, as sums of windows along the axis of channels, in the memory order of x.
Variable neighbours(const Variable& x, int64_t half) {
  const Shape& s = x.shape();
  const int64_t c = s[1], spatial = s[0] && c ? x.size() / (s[0] * c) : 0;
  PoolingPlan plan;
  if (!ImageOrder(x.array()).channels_last()) {
    plan.size = plan.out = {c, spatial};
    plan.ksize = {2 * half + 1, 1}, plan.stride = {1, 1}, plan.pad = {half, 0};
    return reshape(window_sum("NeighbouringChannels", Pooling::sum, plan, reshape(x, {s[0], 1, c, spatial})), s);
  }
  plan.size = plan.out = {c};
  plan.ksize = {2 * half + 1}, plan.stride = {1}, plan.pad = {half};
  const Variable last = moveaxis(x, 1, -1);
  const Variable rows = reshape(last, {s[0] * spatial, 1, c});
  return moveaxis(reshape(window_sum("NeighbouringChannels", Pooling::sum, plan, rows), last.shape()), -1, 1);
}

}  // namespace

Variable LocalResponseNormalization::operator()(const Variable& x, const LocalResponseNormalizationOptions& o) const {
  type_check::check("LocalResponseNormalization", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() >= 2);
  });
  if (o.n < 1) throw ValueError("local_response_normalization: n must be positive, not ", o.n);
  if (x.size() == 0) return identity(x);
  const Variable wide = cast(x, compute_dtype(x.dtype()));
  const int64_t half = std::min(o.n / 2, x.shape()[1]);  // more than all channels adds nothing
  const Variable unit = neighbours(square(wide), half) * o.alpha + o.k;
  return composite("LocalResponseNormalization", {&x}, cast(wide * exp(log(unit) * -o.beta), x.dtype()),
                   [&](NodeAttributes& a) { a("options", o); });
}

}  // namespace chainer::functions
