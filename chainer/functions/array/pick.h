// SPDX-License-Identifier: MIT
// Selects elements along one axis; shared by functions that rearrange an axis.
#pragma once
#include "chainer/functions/array.h"

namespace chainer::functions {

/// Returns x[:, ..., index] with `index`, any entry of an index, at `axis`, which is not negative.
inline Variable pick(const Variable& x, const Index& index, int axis) {
  Indices slices(static_cast<std::size_t>(axis), Slice());
  slices.push_back(index);
  return get_item(x, slices);
}

}  // namespace chainer::functions
