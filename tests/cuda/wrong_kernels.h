// SPDX-License-Identifier: MIT
// Kernels with mistakes that the emulation must detect.
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
