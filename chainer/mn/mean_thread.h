// SPDX-License-Identifier: MIT
// A thread that computes means, one after the other, in parallel to the computation.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "chainer/mn/mean.h"

namespace chainer::mn {

class MeanThread {
 public:
  MeanThread() = default;
  MeanThread(const MeanThread&) = delete;
  ~MeanThread();
  /// Queues a buffer. The thread starts with the first one.
  void submit(MeanBuffer& buffer);
  /// Returns true if means are pending.
  bool busy();
  /// Waits until all means are done, taking part in the work. Rethrows an exception of one of them.
  void drain();

 private:
  void run();
  // Computes the mean of the first buffer with `lock` released.
  void work(std::unique_lock<std::mutex>& lock);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MeanBuffer*> waiting_;
  bool busy_ = false, ending_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace chainer::mn
