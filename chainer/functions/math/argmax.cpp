// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/without_gradient.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

Variable Argmax::operator()(const Variable& x, std::optional<int64_t> axis) const {
  return without_gradient("Argmax", x, chainer::argmax(x.array(), axis).astype(int32),
                          [&](NodeAttributes& a) { a("axis", axis); });
}
Variable Argmin::operator()(const Variable& x, std::optional<int64_t> axis) const {
  return without_gradient("Argmin", x, chainer::argmin(x.array(), axis).astype(int32),
                          [&](NodeAttributes& a) { a("axis", axis); });
}

}  // namespace chainer::functions
