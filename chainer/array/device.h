// Where arrays live. A device is a handle to the backend that computes on it.
#pragma once
#include <string>
#include <string_view>

namespace chainer {

class Backend;

/// A handle to a device. Default-constructed: the host.
class Device {
 public:
  Device();
  explicit Device(Backend& backend, int index = 0) : backend_(&backend), index_(index) {}
  Backend& backend() const { return *backend_; }
  int index() const { return index_; }
  /// "@cpu", "@cuda:0"
  std::string name() const;
  friend bool operator==(const Device& a, const Device& b) { return a.backend_ == b.backend_ && a.index_ == b.index_; }

 private:
  Backend* backend_;
  int index_ = 0;
};
inline std::string to_string(const Device& d) { return d.name(); }

/// The device of a name ("@cpu", "cpu", "@cuda:0") or of a number in text ("-1" is the host); throws DeviceError.
Device get_device(std::string_view name);
/// A negative number is the host, any other that CUDA device.
Device get_device(int id);

}  // namespace chainer
