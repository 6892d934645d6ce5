// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/libcuda.h"

#include <algorithm>
#include <iterator>

#include "chainer/backend/cuda/libraries.h"
#include "chainer/core/error.h"

namespace chainer::cuda {

Libcuda open_libcuda(const char* name) {
  std::string why;
  void* library = run_time_library::open(name, &why);
  if (!library) throw DeviceError("no CUDA driver: ", why, "; NVIDIA's driver provides ", name);
  Libcuda all;
  const auto find = [&](auto& function, const char* symbol) {
    if (!find_function(library, symbol, function))
      throw DeviceError("the driver is too old: ", name, " has no ", symbol);
  };
#define X(MEMBER, NAME, PARAMETERS) find(all.MEMBER, #NAME);
  CHAINER_LIBCUDA(X)
#undef X
  return all;
}

bool is_lost(CuResult r) {
  // Uncorrectable memory errors (214, 220, 226), and all errors that kernels cause.
  constexpr CuResult kLost[] = {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
  return std::find(std::begin(kLost), std::end(kLost), r) != std::end(kLost);
}

}  // namespace chainer::cuda
