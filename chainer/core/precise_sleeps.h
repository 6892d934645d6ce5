// Sleeps that end in time.
#pragma once

namespace chainer {

/// Sleeps of this thread end within a microsecond of the time asked for, where Linux allows itself 50 otherwise.
class PreciseSleeps {
 public:
  PreciseSleeps();
  PreciseSleeps(const PreciseSleeps&) = delete;
  PreciseSleeps& operator=(const PreciseSleeps&) = delete;
  ~PreciseSleeps();

 private:
  int before_;
};

}  // namespace chainer
