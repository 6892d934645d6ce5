// SPDX-License-Identifier: MIT
// Devices. A device is a handle to the backend that computes on it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/memory.h"
#include "chainer/array/recording/watch.h"

namespace chainer {

/// The backend of the host, present in every build (backend/cpu/cpu_backend.cpp).
extern Backend* const kHostBackend;

/// A handle to a device; by default the host.
class Device {
 public:
  Device() : backend_(kHostBackend) {}
  explicit Device(Backend& backend, int index = 0) : backend_(&backend), index_(index) {}
  Backend& backend() const {
    if (recording::any()) [[unlikely]]
      return recording::active_backend(*backend_);
    return *backend_;
  }
  int index() const { return index_; }
  /// Returns true if elements on this device may be accessed through pointers; elsewhere only the backend can access
  /// them.
  bool is_host() const { return backend_ == kHostBackend; }
  /// Returns "@cpu", "@cuda:0", ...
  std::string name() const;
  /// Runs the calling thread's pending computations on this device, and waits until all of the device's work is done.
  void synchronize() const;
  /// Makes this the calling thread's current device, the default of to_gpu(). See DeviceScope.
  void use() const;
  /// Returns statistics of the memory pool: of the host or a CUDA device (all zero elsewhere).
  memory::Statistics memory_statistics() const;
  void reset_memory_peak() const;
  /// Returns unused cached memory to the system or to the driver.
  void empty_cache() const;
  /// Limits the memory pool of a CUDA device to `bytes`, 0 for no limit; an array beyond the limit is a MemoryError. On
  /// the host, limits only the bytes cached for reuse.
  void set_memory_limit(int64_t bytes) const;
  friend bool operator==(const Device& a, const Device& b) { return a.backend_ == b.backend_ && a.index_ == b.index_; }

 private:
  Backend* backend_;
  int index_ = 0;
};
inline std::string to_string(const Device& d) { return d.name(); }

/// Returns the device with a name ("@cpu", "cpu", "@cuda:0") or with a number as text ("-1" is the host). "@reference"
/// is a slow device for tests (backend/reference) whose memory cannot be accessed through pointers. Throws DeviceError
/// if there is no such device.
Device get_device(std::string_view name);
/// Returns the CUDA device with this number, or the host for a negative number. Throws DeviceError if there is no such
/// device. The environment variable CHAINER_GPU names other devices for the numbers: "@cuda-emulated" in programs that
/// have the emulated device, or "@reference".
Device get_device(int id);

/// Returns the devices with numbers; empty without a driver.
std::vector<Device> gpu_devices();

/// Returns the current device of this thread (Device::use), or nothing.
std::optional<Device> current_device();
/// Returns the CUDA device `id`, as to_gpu(id); without a number, the current device if it is not the host, else the
/// first CUDA device. Throws DeviceError if there is no such device.
Device gpu_device(std::optional<int> id = {});

/// Sets the current device during its lifetime.
///   { const DeviceScope scope(get_device("@reference")); (void)ones({2}).to_device(*current_device()); }
class DeviceScope {
 public:
  [[nodiscard]] explicit DeviceScope(const Device& device) : before_(current_device()) { device.use(); }
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  std::optional<Device> before_;
};

}  // namespace chainer
