// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/links/activation.h"

namespace chainer::links {

Swish::Swish(std::optional<Shape> beta_shape, const InitializerArg& beta_init) : beta(beta_init, beta_shape) {}
Variable Swish::forward(const Variable& x) {
  if (!beta.is_initialized()) beta.initialize(Shape(x.shape().begin() + 1, x.shape().end()));
  return functions::swish(x, beta);
}

CHAINER_DEFINE_MEMBERS(Swish, beta)

}  // namespace chainer::links
