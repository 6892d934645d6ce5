#include "chainer/functions/array/pick.h"

namespace chainer::functions {

Variable Flip::operator()(const Variable& x, int64_t axis) const {
  const int d = normalize_axis(axis, x.ndim(), "flip");
  return pick(x, Slice(std::nullopt, std::nullopt, -1), d);
}

}  // namespace chainer::functions
