// SPDX-License-Identifier: MIT
// Means and variances of keys, and their gradients.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Moments of x (outer, keys, inner), contiguous float32 or float64. A block of 256 threads processes `wide` adjacent
/// keys and one of `parts` parts of the outer * inner elements of each. `first` and `second` (parts, keys) receive the
/// mean and the sum of squared differences of a part; with gy, its sums of gy and of gy (x - mean). The order of all
/// sums depends on the lengths only.
struct MomentsArgs {
  static constexpr int kThreads = 256;
  const void *x, *gy;
  const double* mean;  ///< of the keys, with gy
  double *first, *second;
  int64_t outer, keys, inner;
  int wide;
  uint32_t parts;
  template <class F>
  void pointers(F&& f) {
    f(x), f(gy), f(mean), f(first), f(second);
  }
};

/// Merges the parts of each key, in order.
struct MomentsMergeArgs {
  const double *first, *second;
  double *total_first, *total_second;
  int64_t count, keys;  ///< number of elements per key
  uint32_t parts;
  bool sums;  ///< true if parts are sums; otherwise they are means and squares
  template <class F>
  void pointers(F&& f) {
    f(first), f(second), f(total_first), f(total_second);
  }
};

/// gx = a (gy - b) - c (x - mean), where a, b, c and mean are per key.
struct CombinationArgs {
  const void *gy, *x;
  const double *mean, *a, *b, *c;
  void* gx;
  int64_t size, keys, inner;
  template <class F>
  void pointers(F&& f) {
    f(gy), f(x), f(mean), f(a), f(b), f(c), f(gx);
  }
};

}  // namespace chainer::cuda
