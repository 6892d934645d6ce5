// Streams of the emulated device: queues whose work runs as late as it may, on the thread that waits for it. Who
// forgets to wait sees old elements every time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace chainer::cuda::emulation {

class Queue;
/// A place in a queue.
struct Mark {
  Queue* queue = nullptr;
  uint64_t at = 0;
};

class Queue {
 public:
  /// `eager`: work runs when it is added.
  Queue(int device, bool eager) : device_(device), eager_(eager) {}
  int device() const { return device_; }
  void add(std::function<void()> work);
  /// The place behind everything that was added.
  Mark mark() { return {this, done_ + queue_.size()}; }
  /// What is added from here on runs after the mark.
  void wait(Mark m);
  /// Runs what waits, up to a mark. What work throws is lost work: it comes out here as DeviceLost, and again from each
  /// later call.
  void run_until(uint64_t at);
  void run() { run_until(mark().at); }
  std::size_t waiting() const { return queue_.size(); }

 private:
  std::deque<std::function<void()>> queue_;
  uint64_t done_ = 0;
  int device_;
  bool eager_;
  std::string lost_;
};

}  // namespace chainer::cuda::emulation
