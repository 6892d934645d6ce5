// SPDX-License-Identifier: MIT
// Sorting and searching.
#pragma once
#include <optional>

#include "chainer/array/array.h"

namespace chainer {

/// Returns a copy sorted along an axis (by default the last), with NaN last. The sort is stable. Throws ValueError for
/// a 0-d array.
Array sort(const Array& a, int64_t axis = -1);
/// Returns the int64 indices that sort along an axis, as sort().
Array argsort(const Array& a, int64_t axis = -1);
struct Unique {
  Array values;   ///< the distinct elements, sorted
  Array inverse;  ///< int64: for each element of the flattened input, its index in `values`
  Array counts;   ///< int64: the number of occurrences
};
/// Returns the distinct elements of an array, with indices and counts.
Unique unique(const Array& a);
/// Returns the indices of the nonzero elements, one int64 array per axis.
Arrays nonzero(const Array& a);

}  // namespace chainer
