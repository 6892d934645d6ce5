// SPDX-License-Identifier: MIT
// The lattice of connectionist temporal classification (host_kernels/ctc.h).
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Log probabilities x (steps, batch, vocabulary); symbols (batch, width), of which the first path_length[b] are the
/// path of item b. `ctc_forward` and `ctc_backward` compute an item by a block, step by step, with a thread for each
/// symbol; the block may have any number of threads. `ctc_backward` writes `shares` (batch, steps, width), the
/// probability of each symbol at each step, with `next` (batch, 2, width) for its steps. `ctc_gradient` subtracts the
/// weighted shares of equal symbols, in their order on the path, which `order` (batch, width) lists for each symbol.
struct CtcArgs {
  static constexpr int kThreads = 256;
  const double *x, *weights;
  const int64_t *symbols, *input_length, *path_length, *order;
  double *alphas, *totals, *next, *shares, *gx;
  int64_t blank, batch, steps, width, vocabulary;
  template <class F>
  void pointers(F&& f) {
    f(x), f(weights), f(symbols), f(input_length), f(path_length), f(order);
    f(alphas), f(totals), f(next), f(shares), f(gx);
  }
};

}  // namespace chainer::cuda
