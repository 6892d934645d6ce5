// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable Crelu::operator()(const Variable& x, int64_t axis) const { return concat({relu(x), relu(-x)}, axis); }

}  // namespace chainer::functions
