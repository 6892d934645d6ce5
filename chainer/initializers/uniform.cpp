// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/initializers/random.h"
#include "chainer/routines/random.h"

namespace chainer::initializers {

void Uniform::operator()(Array& a) const {
  check_dtype(a);
  copy_elements(random::uniform(-scale_, scale_, a.shape()), a);
}

}  // namespace chainer::initializers
