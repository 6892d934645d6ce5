// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Rollaxis::operator()(const Variable& x, int64_t axis, int64_t start) const {
  const int n = x.ndim(), from = normalize_axis(axis, n, "rollaxis");
  if (start < -n || start > n) throw ValueError("rollaxis: start ", start, " is not in ", -n, " ... ", n);
  const int64_t to = start < 0 ? start + n : start;
  return moveaxis(x, from, from < to ? to - 1 : to);
}

}  // namespace chainer::functions
