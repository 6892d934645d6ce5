// Images in the memory order that kernels of pooling and normalization take.
#pragma once
#include "chainer/array/array.h"

namespace chainer::functions {

/// Which order an array (N, C, spatial...) is in: with its channels innermost it is N images whose pixels are C
/// numbers; otherwise it is taken as N C images of one channel.
class ImageOrder {
 public:
  explicit ImageOrder(const Array& images);
  /// The elements as (outer, spatial..., inner), contiguous and of `dtype`: a view of images in this order, else a
  /// copy.
  Array take(const Array& images, Dtype dtype) const;
  /// New elements of that form.
  Array blank(const Dims& spatial, Dtype dtype, const Device& device) const;
  /// Elements of that form as images (N, C, spatial...), of `dtype`.
  Array images(const Array& elements, Dtype dtype) const;
  bool channels_last() const { return last_; }

 private:
  int64_t n_, c_;
  bool last_;
};

}  // namespace chainer::functions
