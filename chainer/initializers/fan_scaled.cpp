// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/initializers/random.h"

namespace chainer::initializers {

std::pair<int64_t, int64_t> get_fans(const Shape& shape) {
  if (shape.ndim() < 2) throw ValueError("the fan-in and fan-out need a shape of at least two axes, got ", shape);
  const int64_t rest = Dims(shape.begin() + 2, shape.end()).product();
  return {shape[1] * rest, shape[0] * rest};
}

void FanScaled::operator()(Array& a) const {
  const auto [in, out] = get_fans(a.shape());
  const double fan = static_cast<double>(fan_ == Fan::in ? in : fan_ == Fan::out ? out : in + out);
  const double width = scale_ * std::sqrt(factor_ / fan);
  check_dtype(a);
  if (normal_)
    Normal{width}(a);
  else
    Uniform{width}(a);
}

}  // namespace chainer::initializers
