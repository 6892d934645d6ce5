// One value for all elements.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Of integers `integer` is the value, of floating numbers `number`.
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
