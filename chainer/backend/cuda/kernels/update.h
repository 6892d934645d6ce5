// The optimizers' passes.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// One step of a parameter and its states, in float32 or float64: `op` is chainer::Update.
struct UpdateArgs {
  static constexpr int kStates = 3, kHyper = 6;
  Space space;
  Operand param, grad, states[kStates];
  double hyper[kHyper];
  int op;
  template <class F>
  void pointers(F&& f) {
    f(param.data), f(grad.data);
    for (Operand& s : states) f(s.data);
  }
};

}  // namespace chainer::cuda
