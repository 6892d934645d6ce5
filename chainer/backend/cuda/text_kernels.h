// SPDX-License-Identifier: MIT
// Compilation of kernels that users write as text.
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "chainer/backend/cuda/driver.h"

namespace chainer::cuda {

/// Returns the whole source of a kernel for a compiler: the header kernels/text.h, the text, whose lines keep their
/// numbers, and its entry in the table of the emulated device.
std::string complete_source(const KernelText& kernel);

/// A kernel is compiled at its first launch on a device. Images are stored in the folder of compiled programs
/// (kernel_cache.h), keyed by source, options, compiler and device. Thread-safe: one thread compiles, and others wait
/// for it.
class TextKernels {
 public:
  struct Counts {
    int64_t compiled = 0, read = 0;  ///< read: from the folder
  };
  explicit TextKernels(Driver& driver) : driver_(driver) {}
  /// Returns the name under which the device has the kernel; it remains valid. `add` is called with a function that
  /// adds the kernel to the device, and calls it with the device's lock. Throws RuntimeError with the compiler's
  /// messages and the numbered lines of a source that it rejects, DeviceError if there is no compiler.
  template <class Add>
  std::string_view kernel_for(int device, const std::string& device_name, const KernelText& kernel, Add&& add) {
    const std::lock_guard lock(mutex_);
    Kernel& k = kernels_[key_of(device, kernel)];
    if (!k.name.empty()) return k.name;
    const std::string image = image_of(device, device_name, kernel);
    std::string name = unique_name(kernel);
    add([&] { add_to_device(device, name, image, kernel); });
    k.name = std::move(name);
    return k.name;
  }
  Counts counts();

 private:
  struct Kernel {
    std::string name;  // empty before it is on the device
  };
  static std::string key_of(int device, const KernelText& kernel);
  static std::string unique_name(const KernelText& kernel);
  std::string image_of(int device, const std::string& device_name, const KernelText& kernel);
  void add_to_device(int device, const std::string& name, const std::string& image, const KernelText& kernel);

  Driver& driver_;
  std::mutex mutex_;
  std::unordered_map<std::string, Kernel> kernels_;
  Counts counts_;
};

}  // namespace chainer::cuda
