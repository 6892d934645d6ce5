// SPDX-License-Identifier: MIT
#include <limits>

#include "chainer/initializers/constant.h"
#include "chainer/routines/creation.h"

namespace chainer::initializers {

Constant::Constant(Scalar fill_value, std::optional<Dtype> dtype)
    : Initializer(dtype), value_(full({}, fill_value, float64)) {}
void Constant::operator()(Array& a) const {
  check_dtype(a);
  copy_initial_value(value_, a);
}
NaN::NaN(std::optional<Dtype> dtype) : Constant(std::numeric_limits<double>::quiet_NaN(), dtype) {}

}  // namespace chainer::initializers
