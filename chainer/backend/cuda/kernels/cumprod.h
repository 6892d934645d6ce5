// SPDX-License-Identifier: MIT
// The gradient of running products (host_kernels/cumprod.h).
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The recurrence g[k] = sum + factor 2^exponent g[k - 1], as a function of what comes before. (A product of many
/// factors may exceed the range of double where the gradients do not.)
struct Affine {
  double factor, sum;
  int exponent;
};

/// Lines of n elements at distances of `inner`, in arrays (outer, n, inner), as many as outer * inner. Elements count
/// from the last one here, as the recurrence runs. In `cumprod_columns` a thread computes a line. Otherwise lines are
/// cut into `parts` of kPart elements, each of which a block of kThreads threads computes, kThreads elements at a time
/// in a fixed tree: `cumprod_parts` writes the effect of each part to `affine` (lines, parts), `cumprod_between` from
/// them the g before each part to `before` (lines, parts), and `cumprod_rows` the gradients from these.
struct CumprodArgs {
  static constexpr int kThreads = 256;
  static constexpr int64_t kPart = 8192;
  const char *x, *y, *gy;
  char* gx;
  Affine* affine;
  double* before;
  int64_t lines, n, inner, parts;
  Type type;
  int bytes;
  template <class F>
  void pointers(F&& f) {
    f(x), f(y), f(gy), f(gx), f(affine), f(before);
  }
};

}  // namespace chainer::cuda
