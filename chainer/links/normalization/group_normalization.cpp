// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization.h"
#include "chainer/links/normalization.h"

namespace chainer::links {

GroupNormalization::GroupNormalization(int64_t groups, std::optional<int64_t> size, const GroupNormalizationOptions& o)
    : gamma(o.initial_gamma.value_or(1.0)), beta(o.initial_beta.value_or(0.0)), groups_(groups), eps_(o.eps) {
  if (size) gamma.initialize({*size}), beta.initialize({*size});
}
Variable GroupNormalization::forward(const Variable& x) {
  if (!gamma.is_initialized()) {
    if (x.ndim() <= 2) throw ValueError("GroupNormalization: the input must have more than two axes, not ", x.ndim());
    gamma.initialize({x.shape()[1]}), beta.initialize({x.shape()[1]});
  }
  return functions::group_normalization(x, groups_, gamma, beta, {.eps = eps_});
}

CHAINER_DEFINE_MEMBERS(GroupNormalization, gamma, beta)

}  // namespace chainer::links
