// SPDX-License-Identifier: MIT
// Operations on more elements than a launch takes: several launches, one for each part.
#pragma once
#include <algorithm>

#include "chainer/array/array.h"

namespace chainer::cuda {

/// The most elements of a launch. Kernels count them in 31 bits; tests use fewer.
inline int64_t most_elements = (int64_t(1) << 31) - 1;

/// Returns the elements [begin, begin + count) of an axis, as a view.
inline Array part_of(const Array& a, int axis, int64_t begin, int64_t count) {
  Shape shape = a.shape();
  shape[axis] = count;
  return Array(ArrayBody::view(a.body_ref(), shape, a.strides(), begin * a.strides()[axis]));
}

/// Calls f(axis, begin, count) for parts along the longest axis that have at most `most_elements`, as far as possible.
/// Returns false, without calls, if all are in one part.
template <class F>
bool in_parts(const Shape& shape, F&& f) {
  const int64_t size = shape.product();
  if (size <= most_elements) return false;
  const int axis = static_cast<int>(std::max_element(shape.begin(), shape.end()) - shape.begin());
  const int64_t length = shape[axis], each = std::max<int64_t>(most_elements / (size / length), 1);
  for (int64_t begin = 0; begin < length; begin += each) f(axis, begin, std::min(each, length - begin));
  return true;
}

}  // namespace chainer::cuda
