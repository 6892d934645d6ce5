// SPDX-License-Identifier: MIT
// Reductions over axes with NumPy's names; by default over all axes. Axes out of range are an IndexError.
#pragma once
#include <optional>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/print.h"

namespace chainer {

/// Returns the sum over the axes: int64 for booleans and integers, unless `dtype` is given.
Array sum(const Array& a, const Axes& axes = {}, bool keepdims = false, std::optional<Dtype> dtype = {});
/// Returns the product over the axes.
Array prod(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// Return the largest or smallest element; NaN if there is one. Throw ValueError for a reduction of no elements.
Array max(const Array& a, const Axes& axes = {}, bool keepdims = false);
Array min(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// Returns the mean over the axes; float64 for integers.
Array mean(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// Return the variance, the sum of squared differences from the mean divided by n - ddof, and its square root.
Array var(const Array& a, const Axes& axes = {}, bool keepdims = false, int64_t ddof = 0);
Array std(const Array&, const Axes& = {}, bool = false, int64_t = 0);  // where this is ambiguous: stddev(a, axis)
/// The square root of var(). A program with `using namespace chainer` finds two things by the name `std`, so it calls
/// the function by this name.
///   stddev(array({1., 3.}))  // 1
inline Array stddev(const Array& a, const Axes& axes = {}, bool keepdims = false, int64_t ddof = 0) {
  return chainer::std(a, axes, keepdims, ddof);
}
Mask all(const Array& a, const Axes& axes = {}, bool keepdims = false);
Mask any(const Array& a, const Axes& axes = {}, bool keepdims = false);
Array count_nonzero(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// Return the int64 index of the first largest or smallest element along an axis; by default, in the flattened array.
/// Throw ValueError for an axis of length zero.
Array argmax(const Array& a, std::optional<int64_t> axis = {});
Array argmin(const Array& a, std::optional<int64_t> axis = {});
/// Return cumulative sums and products along an axis; by default, of the flattened array.
Array cumsum(const Array& a, std::optional<int64_t> axis = {});
Array cumprod(const Array& a, std::optional<int64_t> axis = {});
/// Returns the q-th percentiles (0 to 100) of all elements, linearly interpolated, in float64. Throws ValueError for an
/// empty array or q outside of the range.
std::vector<double> percentile(const Array& a, const std::vector<double>& q);
/// Sums `a` to a shape that can be broadcast to its own: the adjoint of broadcast_to(). Throws DimensionError for any
/// other shape.
Array sum_to(const Array& a, const Shape& shape);

}  // namespace chainer
