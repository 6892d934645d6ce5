// SPDX-License-Identifier: MIT
// Replaces devices.cpp in programs that were linked before the kernels were compiled (cmake/First.cmake).
#include "chainer/backend/devices.h"

namespace chainer {

Device cuda_device(int index) {
  throw DeviceError("get_device: no device '@cuda:", index,
                    "': this program was linked without CUDA, as no driver (libcuda.so.1) was ",
                    "found when it was configured; configure with -DCHAINER_FIRST_CUDA=ON");
}

int cuda_device_count() { return 0; }

std::string cuda_description() { return "cuda: no device: this program was linked without CUDA"; }

std::uintptr_t stream_handle(const Device&) { return 1; }
void wait_for_stream(const Device&, std::uintptr_t) {}
void let_stream_wait(const Device& device, std::uintptr_t) { device.synchronize(); }

}  // namespace chainer
