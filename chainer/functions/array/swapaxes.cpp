// SPDX-License-Identifier: MIT
#include <utility>

#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Swapaxes::operator()(const Variable& x, int64_t axis1, int64_t axis2) const {
  Dims order;
  for (int d = 0; d < x.ndim(); ++d) order.push_back(d);
  std::swap(order[normalize_axis(axis1, x.ndim(), "swapaxes")], order[normalize_axis(axis2, x.ndim(), "swapaxes")]);
  return x.ndim() ? transpose(x, order) : x;
}

}  // namespace chainer::functions
