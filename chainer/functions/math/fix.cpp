#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Fix::operator()(const Variable& x) const { return chainer::trunc(x.array()); }

}  // namespace chainer::functions
