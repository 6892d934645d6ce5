// SPDX-License-Identifier: MIT
// The names of the formulas of optimizers that a backend offers.
#pragma once
#include "chainer/array/operations/families.h"
#include "chainer/array/operations/update_ops.h"

namespace chainer {

enum class Update : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_UPDATE_OPS(X)
#undef X
      count
};

}  // namespace chainer
