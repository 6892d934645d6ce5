// SPDX-License-Identifier: MIT
// Windows on padded images as strided views, for composed pooling and convolutions.
#pragma once
#include "chainer/backend/common/composed/steps.h"

namespace chainer::composed {

/// Images (outer, size..., inner) with padding, and the windows (outer, out..., inner) on them. Element k of all
/// windows is a strided view of the padded images.
class PaddedImages {
 public:
  PaddedImages(const Dims& size, const Dims& out, const Dims& ksize, const Dims& stride, const Dims& pad,
               const Dims& dilate);
  /// Returns an array of padded images filled with `value`.
  Array blank(int64_t outer, int64_t inner, Dtype dtype, Scalar value, const Array& like) const;
  /// Returns the view of the images without their padding.
  Array images(const Array& padded) const;
  /// Returns the number of elements of a window; element() returns the view of element k (in C order) of every window.
  int64_t count() const { return ksize_.product(); }
  Array element(const Array& padded, int64_t k) const;

 private:
  Dims size_, out_, ksize_, stride_, pad_, dilate_, padded_;
};

}  // namespace chainer::composed
