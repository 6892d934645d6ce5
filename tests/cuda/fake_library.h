// SPDX-License-Identifier: MIT
// The fakes of NVIDIA's libraries (tests/cuda_library), which are one file.
#pragma once
#include <memory>

#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/core/system/run_time_library.h"

/// Finds what tests ask of the fakes.
struct FakeLibrary {
  void* library = chainer::run_time_library::open(FAKE_LIBCUDA);
  template <class F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(chainer::run_time_library::find(library, name));
  }
};

/// Returns a driver on the fake of libcuda, which runs no kernels.
inline std::unique_ptr<chainer::cuda::CudaDriver> fake_driver() {
  static constexpr unsigned char kNoImage[] = {0};
  static constexpr const unsigned char* kImages[] = {kNoImage};
  return std::make_unique<chainer::cuda::CudaDriver>(chainer::cuda::open_libcuda(FAKE_LIBCUDA),
                                                     chainer::cuda::Kernels{kImages, {}, 13000});
}
