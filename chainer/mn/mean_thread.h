// A thread that takes means, one after the other, beside the thread that computes.
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
  /// Whether some are not done.
  bool busy();
  /// Waits until all are done, taking part in the work; throws what one of them threw.
  void drain();

 private:
  void run();
  // Takes the first one's mean; `lock` is open meanwhile.
  void work(std::unique_lock<std::mutex>& lock);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MeanBuffer*> waiting_;
  bool busy_ = false, ending_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace chainer::mn
