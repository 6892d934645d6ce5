#include "chainer/functions/math.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

Variable Argmax::operator()(const Variable& x, std::optional<int64_t> axis) const {
  return chainer::argmax(x.array(), axis).astype(int32);
}
Variable Argmin::operator()(const Variable& x, std::optional<int64_t> axis) const {
  return chainer::argmin(x.array(), axis).astype(int32);
}

}  // namespace chainer::functions
