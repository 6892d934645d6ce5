// SPDX-License-Identifier: MIT
// Compilation of kernels that users write as text.
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
    if (names_.size() <= static_cast<std::size_t>(device)) names_.resize(static_cast<std::size_t>(device) + 1);
    std::string& name = names_[static_cast<std::size_t>(device)][kernel.key];
    if (!name.empty()) return name;
    const std::string image = image_of(device, device_name, kernel), unique = unique_name(kernel);
    add([&] { add_to_device(device, unique, image, kernel); });
    return name = unique;
  }
  Counts counts();

 private:
  static std::string unique_name(const KernelText& kernel);
  std::string image_of(int device, const std::string& device_name, const KernelText& kernel);
  void add_to_device(int device, const std::string& name, const std::string& image, const KernelText& kernel);

  Driver& driver_;
  std::mutex mutex_;
  // By device and KernelText::key; empty before the kernel is on the device. (Elements of a map do not move.)
  std::vector<std::unordered_map<std::string, std::string>> names_;
  Counts counts_;
};

}  // namespace chainer::cuda
