// SPDX-License-Identifier: MIT
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable MeanAbsoluteError::operator()(const Variable& x0, const Variable& x1) const {
  return mean(absolute_error(x0, x1));
}

}  // namespace chainer::functions
