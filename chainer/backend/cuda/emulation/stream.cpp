// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/emulation/stream.h"

#include "chainer/backend/cuda/driver.h"

namespace chainer::cuda::emulation {

void Queue::add(std::function<void()> work) {
  if (!lost_.empty()) throw DeviceLost(lost_);
  queue_.push_back(std::move(work));
  if (eager_) run();
}

void Queue::wait(Mark m) {
  if (m.queue && m.queue != this) add([m] { m.queue->run_until(m.at); });
}

void Queue::run_until(uint64_t at) {
  if (!lost_.empty()) throw DeviceLost(lost_);
  while (done_ < at && !queue_.empty()) {
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    ++done_;
    try {
      work();
    } catch (const std::exception& e) {
      lost_ = e.what();
      queue_.clear();
      throw DeviceLost(lost_);
    }
  }
}

}  // namespace chainer::cuda::emulation
