// SPDX-License-Identifier: MIT
#include "chainer/backend/stream.h"

#include "chainer/array/backend.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/array/time_mark.h"
#include "chainer/backend/devices.h"
#include "chainer/core/error.h"

namespace chainer::backends::cuda {

void Event::record(const Device& device) {
  deferred::run_all(device);
  device_ = device;
  mark_ = device.backend().mark(device.index());
}

void Event::synchronize() const {
  if (mark_) mark_->wait();
}

double get_elapsed_time(const Event& begin, const Event& end) {
  if (!begin.mark_ || !end.mark_)
    throw ValueError("get_elapsed_time: the ", begin.mark_ ? "second" : "first", " event was not recorded");
  return end.mark_->seconds_since(*begin.mark_) * 1e3;
}

namespace {
void expect_handle(const char* name, std::uintptr_t other) {
  if (other == 0)
    throw ValueError("Stream.", name, ": a stream has a handle, or is 1 or 2 (default streams of CUDA), not 0");
}
}  // namespace

std::uintptr_t Stream::ptr() const { return stream_handle(device_); }
void Stream::wait_for(std::uintptr_t other) const {
  expect_handle("wait_for", other);
  wait_for_stream(device_, other);
}
void Stream::let_wait(std::uintptr_t other) const {
  expect_handle("let_wait", other);
  deferred::run_all(device_);
  let_stream_wait(device_, other);
}

}  // namespace chainer::backends::cuda
