// SPDX-License-Identifier: MIT
#pragma once
#include <exception>
#include <functional>
#include <thread>

namespace chainer::training::extensions {

/// A thread that does one piece of work at a time while training goes on.
class BackgroundWork {
 public:
  BackgroundWork() = default;
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
  /// Waits; an error is printed.
  ~BackgroundWork();
  /// Waits for the work before, throws its error, and starts the next. Does it at once if no thread can be made.
  void start(std::function<void()> work);
  /// Waits, and throws the work's error.
  void wait();

 private:
  std::thread thread_;
  std::exception_ptr error_;  // written by the thread, read after its end
};

}  // namespace chainer::training::extensions
