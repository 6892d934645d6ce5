// SPDX-License-Identifier: MIT
// A scope that limits the number of threads used by the calling thread.
#pragma once

namespace chainer::cpu {

/// During its lifetime thread_count() on the calling thread is `n`.
class [[nodiscard]] ThreadShare {
 public:
  [[nodiscard]] explicit ThreadShare(int n);
  ThreadShare(const ThreadShare&) = delete;
  ThreadShare& operator=(const ThreadShare&) = delete;
  ~ThreadShare();

 private:
  int outer_;
};

}  // namespace chainer::cpu
