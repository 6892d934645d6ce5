// SPDX-License-Identifier: MIT
// Arrays whose elements belong to keys (such as channels), in a memory order that kernels of batch normalization
// accept.
#pragma once
#include "chainer/array/array.h"

namespace chainer::functions {

/// The axes of x that are not averaged over are its key axes. Elements are arranged as (outer, keys, inner): rows of
/// keys if the key axes are innermost in memory, runs of one key if they are adjacent axes in C order, else rows.
class KeyOrder {
 public:
  /// `averaged` must be sorted.
  KeyOrder(const Array& x, const Dims& averaged);
  /// Returns contiguous elements of `dtype` as (outer, keys, inner): a view if x has the order of the constructor's
  /// array, else a copy.
  Array take(const Array& x, Dtype dtype) const;
  /// Returns elements as an array with the shape and memory order of the constructor's array.
  Array restore(const Array& elements) const;
  int64_t keys() const { return key_shape_.product(); }
  int64_t averaged() const { return outer_ * inner_; }
  const Shape& key_shape() const { return key_shape_; }
  /// The key shape with axes of length one for those that are averaged over.
  const Shape& expanded() const { return expanded_; }

 private:
  Shape shape_, key_shape_, expanded_;
  Dims order_;  // averaged axes, then key axes
  bool rows_;
  int64_t outer_ = 1, inner_ = 1;
};

}  // namespace chainer::functions
