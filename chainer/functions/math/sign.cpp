// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/without_gradient.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Sign::operator()(const Variable& x) const { return without_gradient("Sign", x, chainer::sign(x.array())); }

}  // namespace chainer::functions
