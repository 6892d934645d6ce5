// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/training/extensions.h"
#include "chainer/training/extensions/clamped.h"

namespace chainer::training::extensions {

ExponentialShift::ExponentialShift(std::string attr, double rate, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), rate_(rate), options_(o) {
  if (rate < 0) throw ValueError("ExponentialShift does not support negative rate: ", rate);
}
void ExponentialShift::registered(bool with_trigger) {
  if (with_trigger || options_.target || std::pow(rate_, 100) > 1e-3) return;
  warn(text("ExponentialShift: without a trigger, ", attr(), " is multiplied by ", rate_, " in each iteration, by ",
            std::pow(rate_, 100),
            " in 100 iterations. For once per epoch: extend(ExponentialShift(...), {1, \"epoch\"})"));
}
std::optional<double> ExponentialShift::value(int64_t t) {
  return clamped(init_ * std::pow(rate_, static_cast<double>(t)), init_, options_.target);
}

}  // namespace chainer::training::extensions
