// SPDX-License-Identifier: MIT
#include "chainer/backend/stream.h"

#include "chainer/array/backend.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/array/time_mark.h"
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

}  // namespace chainer::backends::cuda
