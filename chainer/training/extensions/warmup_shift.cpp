// SPDX-License-Identifier: MIT
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

std::optional<double> WarmupShift::value(int64_t t) {
  if (t > n_) return {};
  const double now = static_cast<double>(t), n = static_cast<double>(n_);
  return (now * init_ + (n - now) * start_) / n;
}

}  // namespace chainer::training::extensions
