// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/initializers/random.h"
#include "chainer/routines/random.h"

namespace chainer::initializers {

void Normal::operator()(Array& a) const {
  check_dtype(a);
  copy_elements(random::normal(0, scale_, a.shape()), a);
}

}  // namespace chainer::initializers
