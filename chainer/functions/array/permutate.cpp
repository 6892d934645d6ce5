// SPDX-License-Identifier: MIT
#include "chainer/functions/array/pick.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable Permutate::operator()(const Variable& x, const Array& indices, int64_t axis, const PermutateOptions& o) const {
  if (indices.ndim() != 1 || is_floating(indices.dtype()))
    throw ValueError("permutate: indices should be a one-dimensional int array, not ", indices.dtype(), " of shape ",
                     indices.shape());
  const int d = normalize_axis(axis, x.ndim(), "permutate");
  const std::vector<int64_t> order = indices.to_vector<int64_t>();
  const auto n = static_cast<std::size_t>(x.shape()[d]);
  std::vector<int64_t> inverse(n, -1);
  if (order.size() != n) throw ValueError("permutate: ", order.size(), " indices for an axis of length ", n);
  for (std::size_t i = 0; i < n; ++i) {
    if (order[i] < 0 || order[i] >= static_cast<int64_t>(n) || inverse[static_cast<std::size_t>(order[i])] >= 0)
      throw ValueError("permutate: index ", order[i], " at position ", i, " is out of range or repeated");
    inverse[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return pick(x, array(o.inv ? inverse : order, Shape{static_cast<int64_t>(n)}), d);
}

}  // namespace chainer::functions
