// Joining, splitting and rearranging arrays, under NumPy's names.
#pragma once
#include <optional>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// A view of a larger shape, whose repeated axes have stride zero: a write to it is a ValueError. `a` itself where it
/// has that shape.
Array broadcast_to(const Array& a, const Shape& shape);
/// Arrays that agree but along `axis`, one behind the other; dtypes are promoted.
Array concatenate(const Arrays& arrays, int64_t axis = 0);
/// Arrays of one shape along a new axis.
Array stack(const Arrays& arrays, int64_t axis = 0);
/// Views of `sections` pieces, the first ones longer by one where the length does not divide.
Arrays array_split(const Array& a, int64_t sections, int64_t axis = 0);
/// Views between the given positions.
Arrays split_at(const Array& a, const std::vector<int64_t>& positions, int64_t axis = 0);
Array expand_dims(const Array& a, int64_t axis);
/// Without the given axes, which must have length one; without all of those when none are given.
Array squeeze(const Array& a, const Axes& axes = {});
Array swapaxes(const Array& a, int64_t axis1, int64_t axis2);
Array moveaxis(const Array& a, const Axes& source, const Axes& destination);
Array flip(const Array& a, int64_t axis);
/// a[..., indices, ...] along an axis, of the flattened array without one.
Array take(const Array& a, const Array& indices, std::optional<int64_t> axis = {});
/// Sets elements of the flattened array.
void put(Array& a, const Array& indices, const Array& values);
/// Each element (or slice along an axis) several times.
Array repeat(const Array& a, int64_t repeats, std::optional<int64_t> axis = {});
Array tile(const Array& a, const Dims& reps);

}  // namespace chainer
