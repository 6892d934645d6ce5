// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/training/extensions.h"
#include "chainer/training/extensions/clamped.h"

namespace chainer::training::extensions {

StepShift::StepShift(std::string attr, double gamma, int64_t step, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), gamma_(gamma), step_(step), options_(o) {
  if (step < 1) throw ValueError("StepShift: step must be 1 or more, not ", step);
}
std::optional<double> StepShift::value(int64_t t) {
  return clamped(init_ * std::pow(gamma_, static_cast<double>(t / step_)), init_, options_.target);
}

}  // namespace chainer::training::extensions
