// SPDX-License-Identifier: MIT
// What the sources of CudaDriver share.
#pragma once
#include "chainer/backend/cuda/driver_cuda.h"

namespace chainer::cuda {

/// A stream or an event, with its device.
struct HandleOfDevice {
  CuHandle handle = nullptr;
  int device = 0;
};
inline HandleOfDevice& of(Stream s) { return *reinterpret_cast<HandleOfDevice*>(s); }
inline HandleOfDevice& of(Event e) { return *reinterpret_cast<HandleOfDevice*>(e); }

/// Makes a device current for this thread and loads its kernels at its first use. The destructor makes the context of
/// another library current again.
class CudaDriver::Use {
 public:
  Use(CudaDriver& driver, int device) : driver_(driver), device_(driver.devices_[static_cast<std::size_t>(device)]) {
    if (driver.cu_.current_context(&before_) != 0) before_ = nullptr;
    if (device_.context) {
      make_current(device_.context);
      return;
    }
    if (driver.capability(device) < 80)
      throw DeviceError(driver.describe(device), ": kernels of this build require compute capability 8.0 or later");
    CuHandle context = nullptr;
    driver.expect_success(driver.cu_.retain_context(&context, device_.number), "cuDevicePrimaryCtxRetain");
    make_current(context);
    try {
      load();
    } catch (...) {
      restore();
      throw;
    }
    device_.context = context;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { restore(); }
  OneDevice* operator->() const { return &device_; }
  OneDevice& operator*() const { return device_; }

 private:
  void make_current(CuHandle context) {
    if (context == before_) return;
    driver_.expect_success(driver_.cu_.set_context(context), "cuCtxSetCurrent");
    changed_ = true;
  }
  void restore() noexcept {
    if (changed_ && before_) driver_.cu_.set_context(before_);
  }
  void load() {
    device_.modules.clear();
    for (const auto& part : {driver_.kernels_.images, driver_.kernels_.later})
      for (const unsigned char* image : part) {
        device_.modules.emplace_back();
        driver_.expect_success(driver_.cu_.load_module(&device_.modules.back(), image), "cuModuleLoadData");
      }
  }

  CudaDriver& driver_;
  OneDevice& device_;
  CuHandle before_ = nullptr;
  bool changed_ = false;
};

}  // namespace chainer::cuda
