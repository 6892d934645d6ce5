// SPDX-License-Identifier: MIT
// Streams and events of devices with the manual's names (chainer.backends.cuda.Stream and Event, which are CuPy's).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "chainer/array/device.h"

namespace chainer {
class TimeMark;
}

namespace chainer::backends::cuda {

/// A mark in the sequence of a device's work.
///   backends::cuda::Event begin, end;
///   begin.record();
///   const Array sums = sum(ones({30, 40}), 0);
///   end.record();
///   std::printf("%.3f ms\n", get_elapsed_time(begin, end));
class Event {
 public:
  /// Records the point after all work that this thread has given to a device so far: to its current device
  /// (Device::use), or to the host. Pending deferred computations are started first. Replaces an earlier record.
  void record() { record(current_device().value_or(Device())); }
  void record(const Device& device);
  /// Waits until the work before the record has run. Returns at once without a record.
  void synchronize() const;
  /// Returns nothing before record().
  const std::optional<Device>& device() const { return device_; }

 private:
  friend double get_elapsed_time(const Event& begin, const Event& end);
  std::optional<Device> device_;
  std::shared_ptr<const TimeMark> mark_;
};

/// Returns the milliseconds between two recorded events of one device; waits for both. Throws ValueError for an event
/// without a record, DeviceError for events of two devices.
double get_elapsed_time(const Event& begin, const Event& end);

/// The sequence of a device's work. Each device has a single sequence for all streams and threads, like CuPy's null
/// stream: work of two streams never overlaps and needs no events for synchronization, and an array may be used on
/// both.
class Stream {
 public:
  /// The stream of the thread's current device, or of the host.
  Stream() : Stream(current_device().value_or(Device())) {}
  explicit Stream(const Device& device) : device_(device) {}
  const Device& device() const { return device_; }
  /// Makes the stream's device the current device of the thread; see StreamScope.
  void use() const { device_.use(); }
  /// Runs the calling thread's pending computations, and waits until all work of the device has run.
  void synchronize() const { device_.synchronize(); }
  /// Records the point after all work so far, in `event` if one is given.
  Event record(Event event = {}) const {
    event.record(device_);
    return event;
  }
  /// Work given from here on runs after the event. For an event of the stream's own device this always holds; for
  /// another device's, the thread waits.
  void wait_event(const Event& event) const {
    if (event.device() && *event.device() != device_) event.synchronize();
  }
  /// Returns CUDA's handle of the stream, for other libraries; 1, CUDA's default stream, for devices without streams.
  std::uintptr_t ptr() const;
  /// Work given from here on runs after the work of another library's stream so far, which `other` names: CUDA's
  /// handle, or 1 and 2 for CUDA's default streams (legacy and of the thread). Throws ValueError for 0, DeviceError for
  /// a handle that CUDA rejects.
  void wait_for(std::uintptr_t other) const;
  /// Later work of another library's stream runs after this stream's work so far; pending computations of the calling
  /// thread are started first.
  void let_wait(std::uintptr_t other) const;
  friend bool operator==(const Stream& a, const Stream& b) { return a.device_ == b.device_; }

 private:
  Device device_;
};

/// Makes the stream's device the current device of the thread during its lifetime.
class StreamScope {
 public:
  [[nodiscard]] explicit StreamScope(const Stream& stream) : scope_(stream.device()) {}

 private:
  DeviceScope scope_;
};

}  // namespace chainer::backends::cuda
