// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/without_gradient.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Fix::operator()(const Variable& x) const { return without_gradient("Fix", x, chainer::trunc(x.array())); }

}  // namespace chainer::functions
