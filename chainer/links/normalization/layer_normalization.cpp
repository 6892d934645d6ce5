// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/normalization.h"
#include "chainer/links/normalization.h"

namespace chainer::links {

LayerNormalization::LayerNormalization(std::optional<int64_t> size, const LayerNormalizationOptions& o)
    : gamma(o.initial_gamma.value_or(1.0)), beta(o.initial_beta.value_or(0.0)), eps_(o.eps) {
  if (size) gamma.initialize({*size}), beta.initialize({*size});
}
Variable LayerNormalization::forward(const Variable& x, int64_t n_batch_axes) {
  if (n_batch_axes < 1 || n_batch_axes >= x.ndim())
    throw DimensionError("LayerNormalization: n_batch_axes must be from 1 to ", x.ndim() - 1, " for an x of shape ",
                         x.shape(), ", not ", n_batch_axes);
  const Shape& shape = x.shape();
  const int64_t size = Shape(shape.begin() + n_batch_axes, shape.end()).product();
  if (!gamma.is_initialized()) gamma.initialize({size}), beta.initialize({size});
  if (gamma.size() != size && x.ndim() > 2 && gamma.size() == x.shape()[x.ndim() - 1])
    throw DimensionError("LayerNormalization: the ", size, " elements after the first ", n_batch_axes,
                         " axes of x, of shape ", x.shape(), ", are normalized together, but gamma has ", gamma.size(),
                         "; to normalize the last axis only, call it with n_batch_axes = ", x.ndim() - 1, ": norm(x, ",
                         x.ndim() - 1, ")");
  if (x.ndim() == 2) return functions::layer_normalization(x, gamma, beta, {.eps = eps_});
  const Variable rows = functions::reshape(x, {Shape(shape.begin(), shape.begin() + n_batch_axes).product(), size});
  return functions::reshape(functions::layer_normalization(rows, gamma, beta, {.eps = eps_}), x.shape());
}

CHAINER_DEFINE_MEMBERS(LayerNormalization, gamma, beta)

}  // namespace chainer::links
