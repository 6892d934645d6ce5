// Windows on padded images, seen element by element: what composed pooling and convolutions are made of.
#pragma once
#include "chainer/backend/common/composed/steps.h"

namespace chainer::composed {

/// Images (outer, size..., inner) inside of padding, and the windows (outer, out..., inner) that lie on them: element k
/// of a window is a strided view of the padded images.
class PaddedImages {
 public:
  PaddedImages(const Dims& size, const Dims& out, const Dims& ksize, const Dims& stride, const Dims& pad,
               const Dims& dilate);
  /// An array of padded images full of `value`.
  Array blank(int64_t outer, int64_t inner, Dtype dtype, Scalar value, const Array& like) const;
  /// The images in it.
  Array images(const Array& padded) const;
  /// The number of elements of a window, and the view of element k (in C order) of every window.
  int64_t count() const { return ksize_.product(); }
  Array element(const Array& padded, int64_t k) const;

 private:
  Dims size_, out_, ksize_, stride_, pad_, dilate_, padded_;
};

}  // namespace chainer::composed
