// SPDX-License-Identifier: MIT
// The pointwise parts of recurrent cells.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// chainer::LstmCells: gates x of each source, cells c_prev of each source and child. The gradients use c, gc and gh
/// (either may be null), gx and gc_prev.
struct LstmArgs {
  static constexpr int kSources = 4, kCells = 16;
  const void *x[kSources], *c_prev[kCells], *gc, *gh;
  void *c, *h, *gx[kSources], *gc_prev[kCells];
  int64_t rows, units, gate_stride, unit_stride;
  int a, i, o, f, sources, children;
  template <class F>
  void pointers(F&& each) {
    for (int s = 0; s < kSources; ++s) each(x[s]), each(gx[s]);
    for (int k = 0; k < kCells; ++k) each(c_prev[k]), each(gc_prev[k]);
    each(gc), each(gh), each(c), each(h);
  }
};

/// Backend::gru and gru_grad: x and hx (rows, 3 units) hold r, z and h, in this order.
struct GruArgs {
  const void *x, *hx, *h_prev, *gh;
  void *h, *gx, *ghx, *gh_prev;
  int64_t rows, units;
  template <class F>
  void pointers(F&& f) {
    f(x), f(hx), f(h_prev), f(gh), f(h), f(gx), f(ghx), f(gh_prev);
  }
};

}  // namespace chainer::cuda
