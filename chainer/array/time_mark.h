// SPDX-License-Identifier: MIT
// Timing of a device's work.
#pragma once

namespace chainer {

/// A mark in the sequence of a device's work, which gets a time when the work before it has run. Function hooks measure
/// time with it.
class TimeMark {
 public:
  virtual ~TimeMark() = default;
  /// Waits until the work before the mark has run.
  virtual void wait() const = 0;
  /// Returns the seconds since an earlier mark of the same device; waits for both.
  virtual double seconds_since(const TimeMark& earlier) const = 0;
};

}  // namespace chainer
