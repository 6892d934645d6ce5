// SPDX-License-Identifier: MIT
#include "chainer/mn/mean_thread.h"

#include "chainer/autograd/config.h"
#include "chainer/core/timeline.h"

namespace chainer::mn {

MeanThread::~MeanThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void MeanThread::submit(MeanBuffer& buffer) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&buffer);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_all();
}

bool MeanThread::busy() {
  const std::lock_guard lock(mutex_);
  return busy_ || !waiting_.empty();
}

void MeanThread::work(std::unique_lock<std::mutex>& lock) {
  MeanBuffer& buffer = *waiting_.front();
  waiting_.pop_front();
  busy_ = true;
  lock.unlock();
  std::exception_ptr failure;
  try {
    const timeline::Stretch stretch("mean of gradients", "communication");
    buffer.mean();
  } catch (...) { failure = std::current_exception(); }
  lock.lock();
  busy_ = false;
  if (failure) {
    waiting_.clear();  // after a failure the ranks are out of step
    if (!failure_) failure_ = failure;
  }
  changed_.notify_all();
}

void MeanThread::run() {
  (void)config();  // its first use in a thread sets the floating-point mode
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || (!busy_ && !waiting_.empty()); });
    if (ending_) return;
    work(lock);
  }
}

void MeanThread::drain() {
  std::unique_lock lock(mutex_);
  while (busy_ || !waiting_.empty()) {
    if (busy_)
      changed_.wait(lock);
    else
      work(lock);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace chainer::mn
