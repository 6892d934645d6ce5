// SPDX-License-Identifier: MIT
// Work of devices that is run again by one launch.
#pragma once
#include <string>

namespace chainer {

/// Work of a device that was captured; each launch runs it again, with the same numbers on the same memory.
class CapturedWork {
 public:
  CapturedWork() = default;
  CapturedWork(const CapturedWork&) = delete;
  CapturedWork& operator=(const CapturedWork&) = delete;
  virtual ~CapturedWork() = default;
  virtual void launch() = 0;
};
/// Thrown where work cannot be captured. Not an Error, since only Tape handles it.
struct NotCaptured {
  std::string why;
};

}  // namespace chainer
