// SPDX-License-Identifier: MIT
// A monotonic clock.
#pragma once
#include <chrono>

namespace chainer {

/// Returns the seconds since an unspecified moment; for measuring differences.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace chainer
