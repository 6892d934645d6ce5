// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable Tensordot::operator()(const Variable& a, const Variable& b, int64_t axes) const {
  Dims left, right;
  for (int64_t i = 0; i < axes; ++i) left.push_back(a.ndim() - axes + i), right.push_back(i);
  return (*this)(a, b, left, right);
}
Variable Tensordot::operator()(const Variable& a, const Variable& b, const Dims& a_axes, const Dims& b_axes) const {
  if (a_axes.ndim() != b_axes.ndim())
    throw ValueError("tensordot: ", a_axes.ndim(), " axes of a and ", b_axes.ndim(), " of b");
  (void)Axes(a_axes).normalized(a.ndim(), "tensordot"), (void)Axes(b_axes).normalized(b.ndim(), "tensordot");
  // With the summed axes last in a and first in b, the result is one matrix product.
  Dims order_a, order_b;
  Shape result;
  int64_t inner = 1, outer_a = 1, outer_b = 1;
  Dims sum_a, sum_b;
  for (int i = 0; i < a_axes.ndim(); ++i) {
    const int p = normalize_axis(a_axes[i], a.ndim(), "tensordot"),
              q = normalize_axis(b_axes[i], b.ndim(), "tensordot");
    if (a.shape()[p] != b.shape()[q])
      throw DimensionError("tensordot: axis ", p, " of a has length ", a.shape()[p], ", axis ", q, " of b ",
                           b.shape()[q]);
    sum_a.push_back(p), sum_b.push_back(q);
    inner *= a.shape()[p];
  }
  const auto summed = [](const Dims& d, int64_t axis) { return std::find(d.begin(), d.end(), axis) != d.end(); };
  for (int d = 0; d < a.ndim(); ++d)
    if (!summed(sum_a, d)) order_a.push_back(d), result.push_back(a.shape()[d]), outer_a *= a.shape()[d];
  for (int64_t d : sum_a) order_a.push_back(d);
  for (int64_t d : sum_b) order_b.push_back(d);
  for (int d = 0; d < b.ndim(); ++d)
    if (!summed(sum_b, d)) order_b.push_back(d), result.push_back(b.shape()[d]), outer_b *= b.shape()[d];
  const Variable left = reshape(a.ndim() ? transpose(a, order_a) : a, {outer_a, inner});
  const Variable right = reshape(b.ndim() ? transpose(b, order_b) : b, {inner, outer_b});
  return reshape(matmul(left, right), result);
}

}  // namespace chainer::functions
