#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Floor::operator()(const Variable& x) const { return chainer::floor(x.array()); }

}  // namespace chainer::functions
