// Streams and events of devices by the manual's names (chainer.backends.cuda.Stream and Event, which are CuPy's).
#pragma once
#include <memory>
#include <optional>

#include "chainer/array/device.h"

namespace chainer {
class TimeMark;
}

namespace chainer::backends::cuda {

/// A place in the order of a device's work.
///   backends::cuda::Event begin, end;
///   begin.record();
///   const Array sums = sum(ones({30, 40}), 0);
///   end.record();
///   std::printf("%.3f ms\n", get_elapsed_time(begin, end));
class Event {
 public:
  /// The place behind everything that this thread asked of a device so far: of its current one (Device::use), or the
  /// host. What waits in deferred evaluation is asked first. An earlier record is forgotten.
  void record() { record(current_device().value_or(Device())); }
  void record(const Device& device);
  /// Waits until what was asked of the device before the record has run; returns at once without a record.
  void synchronize() const;
  /// None before record().
  const std::optional<Device>& device() const { return device_; }

 private:
  friend double get_elapsed_time(const Event& begin, const Event& end);
  std::optional<Device> device_;
  std::shared_ptr<const TimeMark> mark_;
};

/// Milliseconds between two recorded events of one device; waits for both. ValueError for one without a record,
/// DeviceError for two devices.
double get_elapsed_time(const Event& begin, const Event& end);

/// A name for the order in which a device works. Each device has one order, whatever stream and thread asks, as it has
/// for CuPy's null stream: what two streams do never overlaps, needs no event in between, and an array may be used on
/// both.
class Stream {
 public:
  /// Of the thread's current device, or of the host.
  Stream() : Stream(current_device().value_or(Device())) {}
  explicit Stream(const Device& device) : device_(device) {}
  const Device& device() const { return device_; }
  /// Makes the stream's device the thread's current one; StreamScope does it for a while.
  void use() const { device_.use(); }
  /// Waits until everything that was asked of the device has run.
  void synchronize() const { device_.synchronize(); }
  /// The place behind everything that was asked so far: in `event`, if one is given.
  Event record(Event event = {}) const {
    event.record(device_);
    return event;
  }
  /// What is asked from here on runs after the event. Of the stream's own device it does anyway; the thread waits for
  /// another one's.
  void wait_event(const Event& event) const {
    if (event.device() && *event.device() != device_) event.synchronize();
  }
  friend bool operator==(const Stream& a, const Stream& b) { return a.device_ == b.device_; }

 private:
  Device device_;
};

/// The stream's device is the thread's current one until the end of the scope.
class StreamScope {
 public:
  explicit StreamScope(const Stream& stream) : scope_(stream.device()) {}

 private:
  DeviceScope scope_;
};

}  // namespace chainer::backends::cuda
