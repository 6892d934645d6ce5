// SPDX-License-Identifier: MIT
// What schedules with a linear warm-up share.
#pragma once
#include "chainer/training/extensions/schedules.h"

namespace chainer::training::extensions {

/// ValueError, naming the schedule, unless 0 <= warmup < max_count and the numbers are finite.
void check_decay(const char* schedule, int64_t max_count, const DecayOptions& options);
/// The value after t calls; `shape` maps progress after the warm-up, from 0 to 1, to 1 ... 0.
template <class Shape>
double decayed(int64_t t, double init, int64_t max_count, const DecayOptions& o, const Shape& shape) {
  if (t < o.warmup)
    return o.warmup_start + (init - o.warmup_start) * (static_cast<double>(t) / static_cast<double>(o.warmup));
  if (t >= max_count) return o.target;
  const double progress = static_cast<double>(t - o.warmup) / static_cast<double>(max_count - o.warmup);
  return o.target + (init - o.target) * shape(progress);
}

}  // namespace chainer::training::extensions
