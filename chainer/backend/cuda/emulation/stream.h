// SPDX-License-Identifier: MIT
// Streams of the emulated device: queues whose work runs as late as possible, on the thread that waits for it, so that
// a missing wait always reads old elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace chainer::cuda::emulation {

class Queue;
/// A mark in a queue.
struct Mark {
  Queue* queue = nullptr;
  uint64_t at = 0;
};

class Queue {
 public:
  /// With `eager`, work runs when it is added.
  Queue(int device, bool eager) : device_(device), eager_(eager) {}
  int device() const { return device_; }
  void add(std::function<void()> work);
  /// Until end_capture(), which returns it, added work is stored instead of run.
  void begin_capture();
  std::vector<std::function<void()>> end_capture();
  /// Returns the mark after all work added so far.
  Mark mark() { return {this, done_ + queue_.size()}; }
  /// Work added from here on runs after the mark.
  void wait(Mark m);
  /// Runs pending work up to a mark. If work throws, this and all later calls throw DeviceLost.
  void run_until(uint64_t at);
  void run() { run_until(mark().at); }
  /// Returns true if the work before a mark has run. Throws DeviceLost as run_until().
  bool has_reached(uint64_t at) const;
  std::size_t waiting() const { return queue_.size(); }

 private:
  std::deque<std::function<void()>> queue_;
  uint64_t done_ = 0;
  int device_;
  bool eager_, captures_ = false;
  std::vector<std::function<void()>> captured_;
  std::string lost_;
};

}  // namespace chainer::cuda::emulation
