// SPDX-License-Identifier: MIT
// Where a schedule of a hyperparameter ends.
#pragma once
#include <algorithm>
#include <optional>

namespace chainer::training::extensions {

/// `v`, but no further than the target, whichever side the values come from.
inline double clamped(double v, double init, std::optional<double> target) {
  if (!target) return v;
  return init <= *target ? std::min(v, *target) : std::max(v, *target);
}

}  // namespace chainer::training::extensions
