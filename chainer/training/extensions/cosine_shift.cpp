// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>
#include <utility>

#include "chainer/training/extensions/decays.h"

namespace chainer::training::extensions {

void check_decay(const char* schedule, int64_t max_count, const DecayOptions& o) {
  if (o.warmup < 0 || max_count <= o.warmup)
    throw ValueError(schedule, ": 0 <= warmup < max_count is required; warmup is ", o.warmup, ", max_count ",
                     max_count);
  if (!std::isfinite(o.init.value_or(0)) || !std::isfinite(o.target) || !std::isfinite(o.warmup_start) ||
      !(o.power > 0) || !std::isfinite(o.power))
    throw ValueError(schedule, ": values must be finite and power positive; init is ", o.init.value_or(0), ", target ",
                     o.target, ", warmup_start ", o.warmup_start, ", power ", o.power);
}

CosineShift::CosineShift(std::string attr, int64_t max_count, const DecayOptions& o)
    : Shift(std::move(attr), o.optimizer), max_count_(max_count), options_(o) {
  check_decay("CosineShift", max_count, o);
}
double CosineShift::first(double current) {
  init_ = options_.init.value_or(current);
  return *value(0);
}
std::optional<double> CosineShift::value(int64_t t) {
  return decayed(t, init_, max_count_, options_, [](double p) { return (1 + std::cos(std::numbers::pi * p)) / 2; });
}

}  // namespace chainer::training::extensions
