// SPDX-License-Identifier: MIT
// Copies of several arrays.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The elements of each array are consecutive and of a floating type. Blocks from `first_block` up to the next array's
/// copy this one.
struct CopyListArgs {
  static constexpr int kMost = 64;
  struct Item {
    char *from, *to;
    uint32_t size, first_block;
    Type from_type, to_type;
  } items[kMost];
  int count;
  template <class F>
  void pointers(F&& f) {
    for (int k = 0; k < count; ++k) f(items[k].from), f(items[k].to);
  }
};
static_assert(sizeof(CopyListArgs) <= 4096);

}  // namespace chainer::cuda
