// Arrays whose numbers belong to keys (channels, say), in a memory order that kernels of batch normalization take.
#pragma once
#include "chainer/array/array.h"

namespace chainer::functions {

/// The axes of x that are not averaged over are its key axes. Elements are taken as (outer, keys, inner): rows of keys
/// where the key axes are innermost in memory, runs of one key where they follow each other in C order, else rows.
class KeyOrder {
 public:
  /// `averaged` is sorted.
  KeyOrder(const Array& x, const Dims& averaged);
  /// Contiguous elements of `dtype`: a view of x and of arrays in its memory order, else a copy.
  Array take(const Array& x, Dtype dtype) const;
  /// Elements as an array of x's shape and memory order.
  Array restore(const Array& elements) const;
  int64_t keys() const { return key_shape_.product(); }
  int64_t averaged() const { return outer_ * inner_; }
  const Shape& key_shape() const { return key_shape_; }
  /// The key shape with axes of length one where x is averaged over.
  const Shape& expanded() const { return expanded_; }

 private:
  Shape shape_, key_shape_, expanded_;
  Dims order_;  // averaged axes, then key axes
  bool rows_;
  int64_t outer_ = 1, inner_ = 1;
};

}  // namespace chainer::functions
