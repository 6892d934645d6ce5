// SPDX-License-Identifier: MIT
#include <numbers>

#include "chainer/functions/noise.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/noise.h"

namespace chainer::links {

SimplifiedDropconnect::SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                                             const SimplifiedDropconnectOptions& o)
    : W(o.initialW.value_or(initializers::HeNormal(std::numbers::sqrt2 / 2))), out_size_(out_size), ratio_(o.ratio) {
  if (in_size) W.initialize({out_size, *in_size});
  if (!o.nobias) b.emplace(o.initial_bias.value_or(0.0), Shape{out_size});
}
Variable SimplifiedDropconnect::forward(const Variable& x, bool train, const Array& mask, bool use_batchwise_mask) {
  if (!W.is_initialized()) W.initialize({out_size_, x.shape()[0] ? x.size() / x.shape()[0] : 0});
  return functions::simplified_dropconnect(
      x, W, b ? b->variable() : Variable(),
      {.ratio = ratio_, .train = train, .mask = mask, .use_batchwise_mask = use_batchwise_mask});
}

CHAINER_DEFINE_MEMBERS(SimplifiedDropconnect, W, b)

}  // namespace chainer::links
