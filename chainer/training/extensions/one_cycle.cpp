// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "chainer/training/extensions/schedules.h"

namespace chainer::training::extensions {

OneCycle::OneCycle(std::string attr, double max_value, int64_t max_count, const OneCycleOptions& o)
    : Shift(std::move(attr), o.optimizer), max_value_(max_value), max_count_(max_count), options_(o) {
  const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
  if (max_count < 2) throw ValueError("OneCycle: max_count must be 2 or more, not ", max_count);
  if (!(o.pct_start >= 0 && o.pct_start <= 1))
    throw ValueError("OneCycle: pct_start must be from 0 to 1, not ", o.pct_start);
  if (!positive(max_value) || !positive(o.div_factor) || !positive(o.final_div_factor))
    throw ValueError("OneCycle: values must be positive; max_value is ", max_value, ", div_factor ", o.div_factor,
                     ", final_div_factor ", o.final_div_factor);
}
double OneCycle::first(double) { return *value(0); }

// Rises from the initial value to the maximum at iteration `top`, then falls to the final value at the last iteration.
// With a short rise the maximum lies before iteration 0.
std::optional<double> OneCycle::value(int64_t t) {
  const double start = max_value_ / options_.div_factor, end = start / options_.final_div_factor;
  const double last = static_cast<double>(max_count_ - 1);
  const double top = std::min(options_.pct_start * static_cast<double>(max_count_) - 1, last);
  const double now = std::min(static_cast<double>(t), last);
  const bool climbing = now < top || (now == top && top > 0);
  const double from = climbing ? start : max_value_, to = climbing ? max_value_ : end;
  const double part = climbing ? now / top : last > top ? (now - top) / (last - top) : 1;
  if (options_.linear) return from + (to - from) * part;
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * part));
}

}  // namespace chainer::training::extensions
