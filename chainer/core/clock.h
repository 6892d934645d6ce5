// Time that only ever goes on.
#pragma once
#include <chrono>

namespace chainer {

/// Seconds since some moment, for differences.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace chainer
