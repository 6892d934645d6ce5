// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/training/extensions.h"
#include "chainer/training/extensions/clamped.h"

namespace chainer::training::extensions {

InverseShift::InverseShift(std::string attr, double gamma, double power, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), gamma_(gamma), power_(power), options_(o) {
  if (gamma < 0) throw ValueError("InverseShift does not support negative gamma: ", gamma);
}
std::optional<double> InverseShift::value(int64_t t) {
  return clamped(init_ * std::pow(1 + gamma_ * static_cast<double>(t), -power_), init_, options_.target);
}

}  // namespace chainer::training::extensions
