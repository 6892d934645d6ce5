// SPDX-License-Identifier: MIT
// Pooling over windows on images.
#pragma once
#include "chainer/backend/cuda/kernels/images.h"

namespace chainer::cuda {

/// chainer::Pooling between images (outer, size..., inner) and windows (outer, out..., inner), contiguous.
struct PoolingArgs {
  const void* in;
  void* out;
  int32_t* position;
  Windows windows;
  int64_t outer, inner;
  int op;         ///< chainer::Pooling: max, sum, gather, scatter, spread
  double weight;  ///< of elements of a sum; 0 for one over the number of elements inside the image
  template <class F>
  void pointers(F&& f) {
    f(in), f(out), f(position);
  }
};

}  // namespace chainer::cuda
