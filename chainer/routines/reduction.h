// Reductions over axes, under NumPy's names. Without axes they run over all.
#pragma once
#include <optional>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Sums of booleans and integers are int64; `dtype` asks for another result type.
Array sum(const Array& a, const Axes& axes = {}, bool keepdims = false, std::optional<Dtype> dtype = {});
Array prod(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// NaN where there is one; an empty reduction throws ValueError.
Array max(const Array& a, const Axes& axes = {}, bool keepdims = false);
Array min(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// In float64 for integers.
Array mean(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// Mean of squared distances from the mean, divided by n - ddof.
Array var(const Array& a, const Axes& axes = {}, bool keepdims = false, int64_t ddof = 0);
Array std(const Array& a, const Axes& axes = {}, bool keepdims = false, int64_t ddof = 0);
Mask all(const Array& a, const Axes& axes = {}, bool keepdims = false);
Mask any(const Array& a, const Axes& axes = {}, bool keepdims = false);
Array count_nonzero(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// int64 index of the first largest or smallest element, over the flattened array without an axis.
Array argmax(const Array& a, std::optional<int64_t> axis = {});
Array argmin(const Array& a, std::optional<int64_t> axis = {});
/// Running totals along an axis, over the flattened array without one.
Array cumsum(const Array& a, std::optional<int64_t> axis = {});
Array cumprod(const Array& a, std::optional<int64_t> axis = {});
/// The q-th percentiles (0 to 100) of all elements, linearly interpolated, in float64.
std::vector<double> percentile(const Array& a, const std::vector<double>& q);
/// Sums `a` down to a shape that broadcasts to its own.
Array sum_to(const Array& a, const Shape& shape);

}  // namespace chainer
