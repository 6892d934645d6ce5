// Images and the like as rows of a matrix.
#pragma once
#include "chainer/functions/array.h"

namespace chainer::functions {

/// The first axis, or the first `leading` axes together, and all others as one: (N, C, H, W) becomes (N, CHW). Unlike a
/// reshape() to {N, -1} it knows the lengths where the batch is empty.
inline Variable rows_of(const Variable& x, int leading = 1) {
  const Shape& s = x.shape();
  const Dims first(s.begin(), s.begin() + leading), rest(s.begin() + leading, s.end());
  return reshape(x, {first.product(), rest.product()});
}

}  // namespace chainer::functions
