// SPDX-License-Identifier: MIT
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

std::optional<double> LinearShift::value(int64_t t) {
  const auto [v1, v2] = values_;
  const auto [t1, t2] = times_;
  const double now = static_cast<double>(t);
  if (now <= t1) return v1;
  if (now >= t2) return v2;
  const double rate = (now - t1) / (t2 - t1);
  return v1 + rate * (v2 - v1);
}

}  // namespace chainer::training::extensions
