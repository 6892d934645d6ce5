// SPDX-License-Identifier: MIT
// Sleeps that end on time.
#pragma once

namespace chainer {

/// During its lifetime, sleeps of this thread end within about a microsecond of the requested time (Linux's default is
/// 50).
class PreciseSleeps {
 public:
  [[nodiscard]] PreciseSleeps();
  PreciseSleeps(const PreciseSleeps&) = delete;
  PreciseSleeps& operator=(const PreciseSleeps&) = delete;
  ~PreciseSleeps();

 private:
  int before_;
};

}  // namespace chainer
