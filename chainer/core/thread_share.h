// A number of threads for one thread's work.
#pragma once

namespace chainer::cpu {

/// Gives the calling thread a number of threads of its own while this lives: thread_count() is that number in it.
class [[nodiscard]] ThreadShare {
 public:
  explicit ThreadShare(int n);
  ThreadShare(const ThreadShare&) = delete;
  ThreadShare& operator=(const ThreadShare&) = delete;
  ~ThreadShare();

 private:
  int outer_;
};

}  // namespace chainer::cpu
