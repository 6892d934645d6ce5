// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/emulation/stream.h"

#include <utility>

#include "chainer/backend/cuda/driver.h"

namespace chainer::cuda::emulation {

void Queue::add(std::function<void()> work) {
  if (!lost_.empty()) throw DeviceLost(lost_);
  if (captures_) {
    captured_.push_back(std::move(work));
    return;
  }
  queue_.push_back(std::move(work));
  if (eager_) run();
}

void Queue::begin_capture() {
  if (captures_ || !queue_.empty()) throw DeviceError("begin of a capture: the stream is captured or has work");
  captures_ = true;
}
std::vector<std::function<void()>> Queue::end_capture() {
  captures_ = false;
  return std::exchange(captured_, {});
}

void Queue::wait(Mark m) {
  if (captures_) throw DeviceError("wait for an event: the stream is captured");
  if (m.queue && m.queue != this) add([m] { m.queue->run_until(m.at); });
}

bool Queue::has_reached(uint64_t at) const {
  if (!lost_.empty()) throw DeviceLost(lost_);
  return done_ >= at;
}
void Queue::run_until(uint64_t at) {
  if (!lost_.empty()) throw DeviceLost(lost_);
  if (captures_) throw DeviceError("wait for a stream: the stream is captured");
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
