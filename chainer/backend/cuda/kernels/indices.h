// SPDX-License-Identifier: MIT
// Checks of indices.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The first index of a list that is out of range: its position in the upper half of both words, and the halves of its
/// value in the lower ones, so that the smaller word belongs to the earlier position. kNone if there is none.
struct WrongIndex {
  static constexpr unsigned long long kNone = ~0ull;
  unsigned long long high, low;
  int64_t position() const { return static_cast<int64_t>(high >> 32); }
  int64_t value() const { return static_cast<int64_t>(high << 32 | (low & 0xffffffffu)); }
};

/// chainer::IndexCheck of n < 2^31 contiguous integers. An index out of range is replaced by 0; `wrong`, which holds
/// kNone before, receives the first.
struct IndicesArgs {
  const char* index;
  int64_t* out;
  WrongIndex* wrong;
  Type type;
  int bytes;
  bool ignores, columns, wraps;
  int64_t n, size, ignored, inner;
  template <class F>
  void pointers(F&& f) {
    f(index), f(out), f(wrong);
  }
};

}  // namespace chainer::cuda
