// SPDX-License-Identifier: MIT
// Kernels with the mistakes that the emulation is to find.
#pragma once
#include <cstdint>

namespace chainer::cuda {

struct WrongArgs {
  float* x;
  int n;
  template <class F>
  void pointers(F&& f) {
    f(x);
  }
};

}  // namespace chainer::cuda
