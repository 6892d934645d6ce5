// SPDX-License-Identifier: MIT
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable SquaredError::operator()(const Variable& x0, const Variable& x1) const { return squared_difference(x0, x1); }

}  // namespace chainer::functions
