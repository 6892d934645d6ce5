// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Diagonal::operator()(const Variable& x, int64_t offset, int64_t axis1, int64_t axis2) const {
  const int a = normalize_axis(axis1, x.ndim(), "diagonal"), b = normalize_axis(axis2, x.ndim(), "diagonal");
  if (a == b) throw ValueError("diagonal: axis1 and axis2 are both ", a);
  const int64_t rows = x.shape()[a], columns = x.shape()[b];
  const int64_t first = std::max<int64_t>(0, -offset), shift = std::max<int64_t>(0, offset);
  const int64_t n = std::max<int64_t>(0, std::min(rows - first, columns - shift));
  const Variable y = moveaxis(x, Dims{a, b}, Dims{-2, -1});
  // Every (columns + 1)-th element of the flattened matrix.
  Shape flat(y.shape().begin(), y.shape().end() - 2);
  flat.push_back(rows * columns);
  const int64_t start = first * columns + shift, stop = n ? start + (n - 1) * (columns + 1) + 1 : start;
  return get_item(reshape(y, flat), {ellipsis, Slice(start, stop, columns + 1)});
}

}  // namespace chainer::functions
