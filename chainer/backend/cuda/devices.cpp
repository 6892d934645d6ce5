// SPDX-License-Identifier: MIT
// The devices "@cuda:0", "@cuda:1" and so on.
#include <cstdlib>

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/backend/devices.h"
#include "chainer/core/system/fork.h"

namespace chainer {
namespace {

// Created at the first use with a driver; never destroyed, because arrays may outlive main().
cuda::CudaBackend& backend() {
  static FirstUse<cuda::CudaBackend*> made;
  return *made.get([] {
    const char* name = std::getenv("CHAINER_CUDA_LIBRARY");
    return new cuda::CudaBackend(
        std::make_unique<cuda::CudaDriver>(cuda::open_libcuda(name ? name : "libcuda.so.1"), cuda::kernels()), "@cuda");
  });
}

}  // namespace

Device cuda_device(int index) {
  std::string why;
  try {
    cuda::CudaBackend& b = backend();
    if (index < b.device_count()) return Device(b, index);
    why = text("there are ", b.device_count());
  } catch (const DeviceError& e) { why = e.what(); }
  throw DeviceError("get_device: no device '@cuda:", index, "': ", why);
}

int cuda_device_count() {
  try {
    return backend().device_count();
  } catch (const DeviceError&) { return 0; }
}

std::string cuda_description() {
  const std::string cudnn = cuda::Cudnn::description();
  const auto compiler = cuda::Nvrtc::open(cuda::kernel_headers());
  std::string found;
  const std::string nvrtc = compiler ? text(compiler->version(), " (", compiler->path(), ")") : std::string();
  for (const auto& [name, description] :
       {std::pair<const char*, std::string>{"cuBLASLt", cuda::CublasLt::description()},
        {"cuDNN", cudnn},
        {"cuFFT", cuda::Cufft::description()},
        {"cuSOLVER", cuda::Cusolver::description()},
        {"NCCL", cuda::Nccl::description()},
        {"NVRTC", nvrtc}})
    found += "; " + (description.empty() ? text(name, " was not found") : description + " was found");
  try {
    return backend().description() + found;
  } catch (const DeviceError& e) { return text("cuda: no device: ", e.what(), found); }
}

}  // namespace chainer
