// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable Selu::operator()(const Variable& x, const SeluOptions& o) const {
  return elu(x, {.alpha = o.alpha}) * o.scale;
}

}  // namespace chainer::functions
