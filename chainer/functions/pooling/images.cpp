// SPDX-License-Identifier: MIT
#include "chainer/functions/pooling/images.h"

#include "chainer/array/backend.h"
#include "chainer/array/operations/convolution.h"

namespace chainer::functions {

ImageOrder::ImageOrder(const Array& images) : n_(images.shape()[0]), c_(images.shape()[1]), last_(false) {
  if (c_ > 1 && images.size())
    last_ = channels_to_end(images).is_contiguous() || (!images.is_contiguous() && images.strides()[1] == 1);
}

Array ImageOrder::take(const Array& images, Dtype dtype) const {
  const Array elements = dense(last_ ? channels_to_end(images) : images, dtype);
  Shape s = elements.shape();
  if (last_) return elements;
  s.erase(0);
  s[0] = n_ * c_;
  s.push_back(1);
  return elements.reshape(s);
}

Array ImageOrder::blank(const Dims& spatial, Dtype dtype, const Device& device) const {
  Shape s{last_ ? n_ : n_ * c_};
  for (int64_t length : spatial) s.push_back(length);
  s.push_back(last_ ? c_ : 1);
  return Array(s, dtype, device);
}

Array ImageOrder::images(const Array& elements, Dtype dtype) const {
  const Array typed = elements.astype(dtype, false);
  if (last_) return channels_to_front(typed);
  Shape s{n_, c_};
  for (int d = 1; d < typed.ndim() - 1; ++d) s.push_back(typed.shape()[d]);
  return typed.reshape(s);
}

}  // namespace chainer::functions
