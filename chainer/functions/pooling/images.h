// SPDX-License-Identifier: MIT
// Images in the memory order that kernels of pooling and normalization accept.
#pragma once
#include "chainer/array/array.h"

namespace chainer::functions {

/// The memory order of an array (N, C, spatial...): with channels innermost the array is N images whose pixels are C
/// numbers; otherwise it is treated as N C images of one channel.
class ImageOrder {
 public:
  explicit ImageOrder(const Array& images);
  /// Returns the elements as (outer, spatial..., inner), contiguous and of `dtype`: a view of images in this order,
  /// else a copy.
  Array take(const Array& images, Dtype dtype) const;
  /// Returns a new array (outer, spatial..., inner).
  Array blank(const Dims& spatial, Dtype dtype, const Device& device) const;
  /// Returns elements (outer, spatial..., inner) as images (N, C, spatial...), of `dtype`.
  Array images(const Array& elements, Dtype dtype) const;
  bool channels_last() const { return last_; }

 private:
  int64_t n_, c_;
  bool last_;
};

}  // namespace chainer::functions
