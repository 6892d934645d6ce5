// SPDX-License-Identifier: MIT
// Filling with one value.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The value is `integer` for integers, `number` for floating types.
struct FillArgs {
  Space space;
  Operand out;
  double number;
  int64_t integer;
  template <class F>
  void pointers(F&& f) {
    f(out.data);
  }
};

}  // namespace chainer::cuda
