// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/without_gradient.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Floor::operator()(const Variable& x) const { return without_gradient("Floor", x, chainer::floor(x.array())); }

}  // namespace chainer::functions
