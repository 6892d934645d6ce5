// Elements picked along one axis: what functions that rearrange an axis share.
#pragma once
#include "chainer/functions/array.h"

namespace chainer::functions {

/// x[:, ..., index] with `index`, any entry of an index, at an axis that was normalized.
inline Variable pick(const Variable& x, const Index& index, int axis) {
  Indices slices(static_cast<std::size_t>(axis), Slice());
  slices.push_back(index);
  return get_item(x, slices);
}

}  // namespace chainer::functions
