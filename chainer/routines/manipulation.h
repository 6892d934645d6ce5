// SPDX-License-Identifier: MIT
// Joining, splitting and rearranging arrays, with NumPy's names.
#pragma once
#include <optional>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Returns a read-only view of a larger shape, whose repeated axes have stride zero; `a` itself if it has that shape.
/// Throws DimensionError if `a` cannot be broadcast to it.
Array broadcast_to(const Array& a, const Shape& shape);
/// Joins arrays along `axis`, in the promoted dtype. Throws DimensionError if the shapes differ in other axes,
/// ValueError for an empty list.
Array concatenate(const Arrays& arrays, int64_t axis = 0);
/// Joins arrays of one shape along a new axis. Throws DimensionError if the shapes differ, ValueError for an empty
/// list.
Array stack(const Arrays& arrays, int64_t axis = 0);
/// Splits into `sections` views, of which the first ones are longer by one if the length is not divisible. Throws
/// ValueError if `sections` is not positive.
Arrays array_split(const Array& a, int64_t sections, int64_t axis = 0);
/// Splits into views at the given positions.
Arrays split_at(const Array& a, const std::vector<int64_t>& positions, int64_t axis = 0);
Array expand_dims(const Array& a, int64_t axis);
/// Removes the given axes, which must have length one; by default all axes of length one. Throws ValueError for any
/// other length.
Array squeeze(const Array& a, const Axes& axes = {});
Array swapaxes(const Array& a, int64_t axis1, int64_t axis2);
Array moveaxis(const Array& a, const Axes& source, const Axes& destination);
Array flip(const Array& a, int64_t axis);
/// Returns a[..., indices, ...] along an axis; without an axis, from the flattened array. Throws IndexError for an
/// index out of range.
Array take(const Array& a, const Array& indices, std::optional<int64_t> axis = {});
/// Sets elements of the flattened array. Throws as Array::set().
void put(Array& a, const Array& indices, const Array& values);
/// Repeats each element (or each slice along an axis). Throws ValueError for a negative count.
Array repeat(const Array& a, int64_t repeats, std::optional<int64_t> axis = {});
Array tile(const Array& a, const Dims& reps);

}  // namespace chainer
