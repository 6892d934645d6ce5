// SPDX-License-Identifier: MIT
#include "chainer/array/operations/convolution.h"

namespace chainer {

Array channels_to_end(const Array& a) {
  Dims axes{0};
  for (int d = 2; d < a.ndim(); ++d) axes.push_back(d);
  axes.push_back(1);
  return a.transpose(axes);
}
Array channels_to_front(const Array& a) {
  Dims axes{0, a.ndim() - 1};
  for (int d = 1; d < a.ndim() - 1; ++d) axes.push_back(d);
  return a.transpose(axes);
}
Array channels_last(const Shape& shape, Dtype dtype, Device device) {
  Shape memory{shape[0]};
  for (int d = 2; d < shape.ndim(); ++d) memory.push_back(shape[d]);
  memory.push_back(shape[1]);
  return channels_to_front(Array(memory, dtype, device));
}

}  // namespace chainer
