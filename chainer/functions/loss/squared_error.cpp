// SPDX-License-Identifier: MIT
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable SquaredError::operator()(const Variable& x0, const Variable& x1) const {
  if (are_narrow(x0, x1)) return (*this)(widened(x0), widened(x1));
  return squared_difference(x0, x1);
}

}  // namespace chainer::functions
