// SPDX-License-Identifier: MIT
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

double WarmupShift::first(double current) {
  start_ = given_start_.value_or(current);
  return t_ == 0 ? start_ : value(t_).value_or(init_);  // files of the release have no last value
}

std::optional<double> WarmupShift::value(int64_t t) {
  if (t > n_) return {};
  const double now = static_cast<double>(t), n = static_cast<double>(n_);
  return (now * init_ + (n - now) * start_) / n;
}

}  // namespace chainer::training::extensions
