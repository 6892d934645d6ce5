#include "chainer/functions/normalization.h"
#include "chainer/links/links.h"

namespace chainer::links {

LayerNormalization::LayerNormalization(std::optional<int64_t> size, const LayerNormalizationOptions& o)
    : gamma(o.initial_gamma.value_or(1.0)), beta(o.initial_beta.value_or(0.0)), eps_(o.eps) {
  if (size) gamma.initialize({*size}), beta.initialize({*size});
}
Variable LayerNormalization::forward(const Variable& x) {
  if (!gamma.is_initialized()) {
    const int64_t size = x.shape()[0] ? x.size() / x.shape()[0] : 0;
    gamma.initialize({size}), beta.initialize({size});
  }
  return functions::layer_normalization(x, gamma, beta, {.eps = eps_});
}

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

}  // namespace chainer::links
