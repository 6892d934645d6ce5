// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/training/extensions.h"
#include "chainer/training/extensions/clamped.h"

namespace chainer::training::extensions {

PolynomialShift::PolynomialShift(std::string attr, double rate, double max_count, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), rate_(rate), max_count_(max_count), options_(o) {
  if (!(max_count > 0)) throw ValueError("PolynomialShift: max_count must be positive, not ", max_count);
}
std::optional<double> PolynomialShift::value(int64_t t) {
  return clamped(init_ * std::pow(std::max(1 - static_cast<double>(t) / max_count_, 0.0), rate_), init_,
                 options_.target);
}

}  // namespace chainer::training::extensions
