// SPDX-License-Identifier: MIT
// The devices "@cuda-emulated:0" and so on, for programs that link this component.
#include "chainer/backend/devices.h"

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"

namespace chainer::cuda::emulation {
namespace {

Device find(int index) {
  // Never destroyed: arrays may outlive main().
  static auto* backend =
      new CudaBackend(std::make_unique<EmulatedDriver>(EmulatedDriver::options_of_environment()), "@cuda-emulated");
  if (index >= backend->device_count())
    throw DeviceError("get_device: no device '@cuda-emulated:", index, "'; the number of devices is ",
                      backend->device_count(), " (CHAINER_EMULATED_DEVICES)");
  return Device(*backend, index);
}

[[maybe_unused]] const bool added = add_devices("@cuda-emulated", find);

}  // namespace
}  // namespace chainer::cuda::emulation
