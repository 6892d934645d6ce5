// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/positions.h"
#include "chainer/functions/array/pick.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The inverse of a permutation on its device, which checks that each position is there.
Array inverse_there(const Array& order, int64_t n) {
  if (order.size() != n) throw ValueError("permutate: ", order.size(), " indices for an axis of length ", n);
  Backend& backend = order.device().backend();
  Array places(order.shape(), int64, order.device()), inverse(order.shape(), int64, order.device());
  const auto outside = [](int64_t i, int64_t position, const IndexCheck&) {
    throw ValueError("permutate: index ", i, " at position ", position, " is out of range or repeated");
  };
  const auto missing = [](int64_t, int64_t position, const IndexCheck& c) {
    throw ValueError("permutate: ", position, " is missing in the indices for an axis of length ", c.size);
  };
  backend.check_indices({.size = n, .fail = outside}, order, places);
  inverse.fill(-1);
  backend.scatter_rows(inverse, places, positions_below(n, order.device()), false);
  Array checked(order.shape(), int64, order.device());
  backend.check_indices({.size = n, .fail = missing}, inverse, checked);
  return checked;
}

}  // namespace

Variable Permutate::operator()(const Variable& x, const Array& indices, int64_t axis, const PermutateOptions& o) const {
  if (indices.ndim() != 1 || is_floating(indices.dtype()))
    throw ValueError("permutate: indices should be a one-dimensional int array, not ", indices.dtype(), " of shape ",
                     indices.shape());
  const int d = normalize_axis(axis, x.ndim(), "permutate");
  if (!indices.device().is_host() && indices.device() == x.device()) {
    const Array inverse = inverse_there(indices, x.shape()[d]);
    return pick(x, o.inv ? inverse : indices, d);
  }
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
