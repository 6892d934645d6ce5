// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

std::optional<double> MultistepShift::value(int64_t t) {
  if (current_step_ < static_cast<int64_t>(steps_.size()) && t >= steps_[static_cast<std::size_t>(current_step_)])
    ++current_step_;
  return init_ * std::pow(gamma_, static_cast<double>(current_step_));
}
void MultistepShift::serialize_more(Serializer& s) { s.count("_current_step", current_step_); }

}  // namespace chainer::training::extensions
