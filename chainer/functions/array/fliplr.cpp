// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Fliplr::operator()(const Variable& a) const { return flip(a, 1); }

}  // namespace chainer::functions
