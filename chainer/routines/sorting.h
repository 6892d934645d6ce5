// Sorting and searching.
#pragma once
#include <optional>

#include "chainer/array/array.h"

namespace chainer {

/// Sorted along an axis (the last by default), NaN last; a stable sort.
Array sort(const Array& a, int64_t axis = -1);
/// The int64 positions that sort an axis.
Array argsort(const Array& a, int64_t axis = -1);
struct Unique {
  Array values;   ///< sorted distinct elements
  Array inverse;  ///< int64: for each element of the flattened input its place in `values`
  Array counts;   ///< int64: how often each occurs
};
Unique unique(const Array& a);
/// The positions of elements that are not zero, one int64 array an axis.
Arrays nonzero(const Array& a);

}  // namespace chainer
