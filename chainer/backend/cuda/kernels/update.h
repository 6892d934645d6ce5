// SPDX-License-Identifier: MIT
// The update steps of optimizers.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

constexpr int kUpdateStates = 3, kUpdateHyper = 6;

/// One step of a parameter and its states, in float32 or float64. `op` is a chainer::Update.
struct UpdateArgs {
  static constexpr int kStates = kUpdateStates, kHyper = kUpdateHyper;
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

/// A step of each of several parameters. The elements of all arrays of a parameter are consecutive and in the same
/// order. Blocks from `first_block` up to the next parameter's process this one.
struct UpdateListArgs {
  static constexpr int kMost = 32;
  struct Item {
    char *param, *grad, *states[kUpdateStates];
    double hyper[kUpdateHyper];
    uint32_t size, first_block;
    Type param_type, grad_type, state_types[kUpdateStates];
    uint8_t op;
  } items[kMost];
  int count;
  template <class F>
  void pointers(F&& f) {
    for (int k = 0; k < count; ++k) {
      f(items[k].param), f(items[k].grad);
      for (char*& s : items[k].states) f(s);
    }
  }
};
static_assert(sizeof(UpdateListArgs) <= 4096);

}  // namespace chainer::cuda
