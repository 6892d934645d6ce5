// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Flipud::operator()(const Variable& a) const { return flip(a, 0); }

}  // namespace chainer::functions
