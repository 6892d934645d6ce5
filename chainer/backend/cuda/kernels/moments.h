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

/// An array of floats, with one element for each key.
struct KeyArray {
  char* data;
  Type type;
};

/// Merges the parts of each key, in a fixed order, by a warp for each key.
struct MomentsMergeArgs {
  static constexpr int kWarps = 4;
  const double *first, *second;        ///< of the parts
  double *total_first, *total_second;  ///< written if given
  int64_t count, keys;                 ///< number of elements per key
  uint32_t parts;
  bool sums;  ///< true if parts are sums; otherwise they are means and squares
  template <class F>
  void pointers(F&& f) {
    f(first), f(second), f(total_first), f(total_second);
  }
};

/// chainer::BatchFactors from the moments of parts. Running statistics are optional.
struct FactorsArgs {
  MomentsMergeArgs merge;
  double eps, decay;
  double* rstd;
  KeyArray gamma, scale, running_mean, running_var;
  template <class F>
  void pointers(F&& f) {
    merge.pointers(f);
    f(rstd), f(gamma.data), f(scale.data), f(running_mean.data), f(running_var.data);
  }
};

/// The gradients of gamma and beta, and the factors a, b and c of CombinationArgs for the gradient of x, from the sums
/// of parts.
struct GradientFactorsArgs {
  MomentsMergeArgs merge;
  const double* rstd;
  double *a, *b, *c;
  KeyArray gamma, ggamma, gbeta;
  template <class F>
  void pointers(F&& f) {
    merge.pointers(f);
    f(rstd), f(a), f(b), f(c), f(gamma.data), f(ggamma.data), f(gbeta.data);
  }
};

/// gx = a (gy - b) - c (x - mean), where a, b, c and mean are per key.
struct CombinationArgs {
  const void *gy, *x;
  const double *mean, *a, *b, *c;
  void* gx;
  int64_t size, keys, inner;
  Divider by_keys, by_inner;  ///< for less than 2^31 elements
  template <class F>
  void pointers(F&& f) {
    f(gy), f(x), f(mean), f(a), f(b), f(c), f(gx);
  }
};

/// Rows of x (n, d), contiguous: y = (x - mean) / sqrt(variance + eps) and rstd (n) = 1 / sqrt(variance + eps); with
/// gy, the gradient gx from y and rstd. A block of 256 threads processes `wide` rows. Sums are computed in float64.
struct RowsMomentsArgs {
  static constexpr int kThreads = 256;
  const void *x, *gy;  ///< with gy, x is y
  void* y;             ///< with gy, gx
  double* rstd;
  double eps;
  int64_t n, d;
  int wide;
  template <class F>
  void pointers(F&& f) {
    f(x), f(gy), f(y), f(rstd);
  }
};

}  // namespace chainer::cuda
