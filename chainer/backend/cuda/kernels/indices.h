// SPDX-License-Identifier: MIT
// Checks of indices.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The first index of a list that is out of range: its position in the list, or -1, and its value.
struct WrongIndex {
  int64_t position, value;
};

/// chainer::IndexCheck of n contiguous integers. An index out of range is replaced by 0; `wrong` receives the first.
struct IndicesArgs {
  static constexpr int kThreads = 256;
  const char* index;
  int64_t* out;
  WrongIndex* wrong;
  Type type;
  int bytes;
  bool ignores, columns;
  int64_t n, size, ignored, inner;
  template <class F>
  void pointers(F&& f) {
    f(index), f(out), f(wrong);
  }
};

}  // namespace chainer::cuda
