// SPDX-License-Identifier: MIT
// The order of a device's work and the work of other libraries on it.
#include "chainer/backend/cuda/device_state.h"
#include "chainer/backend/devices.h"

namespace chainer {

std::uintptr_t stream_handle(const Device& device) {
  auto* const backend = dynamic_cast<cuda::CudaBackend*>(&device.backend());
  return backend ? backend->stream_handle(device.index()) : 1;
}
void wait_for_stream(const Device& device, std::uintptr_t other) {
  if (auto* const backend = dynamic_cast<cuda::CudaBackend*>(&device.backend()))
    backend->wait_for_stream(device.index(), other);
}
void let_stream_wait(const Device& device, std::uintptr_t other) {
  auto* const backend = dynamic_cast<cuda::CudaBackend*>(&device.backend());
  backend ? backend->let_stream_wait(device.index(), other) : device.synchronize();
}

namespace cuda {

std::uintptr_t CudaBackend::stream_handle(int index) {
  return with_device(index, [](DeviceState& d) { return d.driver.handle(d.stream); });
}
void CudaBackend::wait_for_stream(int index, std::uintptr_t other) {
  with_device(index, [&](DeviceState& d) {
    Capturing::refuse(*this, index, "it waits for another library");
    d.driver.wait_for_other(d.stream, other);
  });
}
void CudaBackend::let_stream_wait(int index, std::uintptr_t other) {
  with_device(index, [&](DeviceState& d) {
    Capturing::refuse(*this, index, "another library waits for it");
    d.driver.let_other_wait(other, d.stream);
  });
}

}  // namespace cuda
}  // namespace chainer
