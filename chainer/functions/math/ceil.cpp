#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Ceil::operator()(const Variable& x) const { return chainer::ceil(x.array()); }

}  // namespace chainer::functions
