// SPDX-License-Identifier: MIT
#include "chainer/backend/common/composed/windows.h"

#include <algorithm>

namespace chainer::composed {

PaddedImages::PaddedImages(const Dims& size, const Dims& out, const Dims& ksize, const Dims& stride, const Dims& pad,
                           const Dims& dilate)
    : size_(size), out_(out), ksize_(ksize), stride_(stride), pad_(pad), dilate_(dilate) {
  for (int d = 0; d < size.ndim(); ++d)
    padded_.push_back(std::max(size[d] + pad[d], (out[d] - 1) * stride[d] + (ksize[d] - 1) * dilate[d] + 1));
}

Array PaddedImages::blank(int64_t outer, int64_t inner, Dtype dtype, Scalar value, const Array& like) const {
  Shape shape{outer};
  for (int64_t n : padded_) shape.push_back(n);
  shape.push_back(inner);
  return filled(shape, dtype, value, like);
}

Array PaddedImages::images(const Array& padded) const {
  Shape shape = padded.shape();
  const Strides strides = padded.strides();
  int64_t offset = 0;
  for (int d = 0; d < size_.ndim(); ++d) {
    shape[d + 1] = size_[d];
    offset += pad_[d] * strides[d + 1];
  }
  return window(padded, shape, strides, offset);
}

Array PaddedImages::element(const Array& padded, int64_t k) const {
  Shape shape = padded.shape();
  Strides strides = padded.strides();
  int64_t offset = 0;
  for (int d = size_.ndim() - 1; d >= 0; --d) {
    offset += k % ksize_[d] * dilate_[d] * strides[d + 1];
    k /= ksize_[d];
    shape[d + 1] = out_[d];
    strides[d + 1] *= stride_[d];
  }
  return window(padded, shape, strides, offset);
}

}  // namespace chainer::composed
