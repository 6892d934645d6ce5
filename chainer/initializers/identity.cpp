// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/initializers/constant.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::initializers {

void Identity::operator()(Array& a) const {
  check_dtype(a);
  if (a.ndim() != 2 || a.shape()[0] != a.shape()[1])
    throw ValueError("Identity: the array must be a square matrix, not of shape ", a.shape());
  copy_elements(eye(a.shape()[0], {}, 0, float64) * scale_, a);
}

}  // namespace chainer::initializers
