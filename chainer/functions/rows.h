// SPDX-License-Identifier: MIT
// Reshapes images and other batches to rows of a matrix.
#pragma once
#include "chainer/functions/array.h"

namespace chainer::functions {

/// Returns x with the first `leading` axes merged into one and all others into a second: (N, C, H, W) becomes
/// (N, C H W). Unlike reshape() to {N, -1}, this works for an empty batch.
inline Variable rows_of(const Variable& x, int leading = 1) {
  const Shape& s = x.shape();
  const Dims first(s.begin(), s.begin() + leading), rest(s.begin() + leading, s.end());
  return reshape(x, {first.product(), rest.product()});
}

}  // namespace chainer::functions
