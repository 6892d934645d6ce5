// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Tile::operator()(const Variable& x, const Dims& reps) const {
  for (int64_t r : reps)
    if (r < 0) throw ValueError("tile: all elements of reps must be zero or larger, not ", reps);
  const int n = std::max(x.ndim(), reps.ndim());
  // (s0, s1) becomes (1, s0, 1, s1), is broadcast to (r0, s0, r1, s1), and pairs of axes are merged.
  Shape apart, wide, result;
  for (int d = 0; d < n; ++d) {
    const int64_t r = d < n - reps.ndim() ? 1 : reps[d - (n - reps.ndim())];
    const int64_t s = d < n - x.ndim() ? 1 : x.shape()[d - (n - x.ndim())];
    for (int64_t v : {int64_t(1), s}) apart.push_back(v);
    for (int64_t v : {r, s}) wide.push_back(v);
    result.push_back(r * s);
  }
  return reshape(broadcast_to(reshape(x, apart), wide), result);
}

}  // namespace chainer::functions
