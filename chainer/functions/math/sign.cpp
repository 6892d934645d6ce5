#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Sign::operator()(const Variable& x) const { return chainer::sign(x.array()); }

}  // namespace chainer::functions
