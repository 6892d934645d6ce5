// SPDX-License-Identifier: MIT
// Threads that read batches ahead.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "chainer/datasets/dataset.h"

namespace chainer::iterators {

/// A fixed number of threads that run tasks in the order of submission. The destructor waits for running tasks, drops
/// waiting ones, and joins the threads.
class WorkerPool {
 public:
  using Task = std::function<Examples()>;
  /// Starts `n_threads` threads, at least one.
  explicit WorkerPool(int n_threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();
  /// Queues a task. The future returns its examples, or throws the exception of the task.
  std::future<Examples> submit(Task task);

 private:
  void work();
  void end();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<Examples()>> waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace chainer::iterators
