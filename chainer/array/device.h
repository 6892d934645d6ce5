// Where arrays live. A device is a handle to the backend that computes on it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/memory.h"
#include "chainer/array/recording/watch.h"

namespace chainer {

/// The backend of the host, which every build has (backend/cpu/cpu_backend.cpp).
extern Backend* const kHostBackend;

/// A handle to a device. Default-constructed: the host.
class Device {
 public:
  Device() : backend_(kHostBackend) {}
  explicit Device(Backend& backend, int index = 0) : backend_(&backend), index_(index) {}
  Backend& backend() const {
    if (recording::any()) [[unlikely]]
      return recording::door(*backend_);
    return *backend_;
  }
  int index() const { return index_; }
  /// Whether elements of arrays here may be read and written through pointers. Elsewhere only the backend may.
  bool is_host() const { return backend_ == kHostBackend; }
  /// "@cpu", "@cuda:0"
  std::string name() const;
  /// Waits until everything that was asked of this device is done.
  void synchronize() const;
  /// Makes this the thread's current device, to which to_gpu() without a number moves; DeviceScope does it for a while.
  void use() const;
  /// What arrays of this device have in its memory: the host's and each CUDA device's pool (0 throughout elsewhere).
  memory::Statistics memory_statistics() const;
  void reset_memory_peak() const;
  /// Gives memory that nothing uses back to the system or to the driver.
  void empty_cache() const;
  /// The most bytes that a CUDA device's pool takes, 0 for no limit; of the host's memory the most that waits for
  /// reuse. An array beyond the limit is a MemoryError.
  void set_memory_limit(int64_t bytes) const;
  friend bool operator==(const Device& a, const Device& b) { return a.backend_ == b.backend_ && a.index_ == b.index_; }

 private:
  Backend* backend_;
  int index_ = 0;
};
inline std::string to_string(const Device& d) { return d.name(); }

/// The device of a name ("@cpu", "cpu", "@cuda:0") or of a number in text ("-1" is the host); throws DeviceError.
/// "@reference" is the slow device that tests use (backend/reference): its memory cannot be reached through pointers.
Device get_device(std::string_view name);
/// A negative number is the host, any other that CUDA device.
Device get_device(int id);

/// The CUDA devices that get_device() gives; none where the driver is missing.
std::vector<Device> gpu_devices();

/// The device that the thread uses (Device::use), or none.
std::optional<Device> current_device();
/// What to_gpu(id) moves to: that CUDA device; without a number the current device, or else the first.
Device gpu_device(std::optional<int> id = {});

/// Another current device until the end of the scope.
///   { const DeviceScope scope(get_device("@reference")); (void)ones({2}).to_device(*current_device()); }
class DeviceScope {
 public:
  explicit DeviceScope(const Device& device) : before_(current_device()) { device.use(); }
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  std::optional<Device> before_;
};

}  // namespace chainer
