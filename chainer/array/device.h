// Where arrays live. A device is a handle to the backend that computes on it.
#pragma once
#include <string>
#include <string_view>

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

}  // namespace chainer
