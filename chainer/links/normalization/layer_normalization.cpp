#include "chainer/functions/normalization.h"
#include "chainer/links/normalization.h"

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

CHAINER_DEFINE_MEMBERS(LayerNormalization, gamma, beta)

}  // namespace chainer::links
