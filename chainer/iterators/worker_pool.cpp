// SPDX-License-Identifier: MIT
#include "chainer/iterators/worker_pool.h"

#include <algorithm>
#include <utility>

namespace chainer::iterators {

WorkerPool::WorkerPool(int n_threads) {
  try {
    for (int i = 0; i < std::max(1, n_threads); ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // the system has no more threads: end those that were started
    end();
    throw;
  }
}

WorkerPool::~WorkerPool() { end(); }

void WorkerPool::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

std::future<Examples> WorkerPool::submit(Task task) {
  std::packaged_task<Examples()> packaged(std::move(task));
  std::future<Examples> result = packaged.get_future();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(packaged));
  }
  changed_.notify_one();
  return result;
}

void WorkerPool::work() {
  for (;;) {
    std::packaged_task<Examples()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace chainer::iterators
