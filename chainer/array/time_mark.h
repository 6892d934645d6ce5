// Times of a device's work.
#pragma once

namespace chainer {

/// A place in the order of a device's work, which has a time when that work has run: what function hooks measure by.
class TimeMark {
 public:
  virtual ~TimeMark() = default;
  /// Waits until what comes before has run.
  virtual void wait() const = 0;
  /// Seconds from an earlier mark of the same device; waits for both.
  virtual double seconds_since(const TimeMark& earlier) const = 0;
};

}  // namespace chainer
