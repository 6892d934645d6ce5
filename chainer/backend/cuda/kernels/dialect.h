// SPDX-License-Identifier: MIT
// The dialect of CUDA C++ in which kernels are written. A source in this folder is compiled by nvcc for the device, and
// by the host's compiler with emulation/emulation.h. This header defines what differs between the two.
//
//   struct ScaleArgs {                                     // a kernel takes one struct; at a launch, the
//     float* x;                                            // addresses in it become those of the device
//     int64_t n;
//     template <class F> void pointers(F&& f) { f(x); }
//   };
//   KERNEL(scale, ScaleArgs) {
//     for (int64_t i = first_element(); i < a.n; i += element_step()) a.x[i] *= 2;
//   }
#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define KERNEL(NAME, ARGS) extern "C" __global__ void NAME(const __grid_constant__ ARGS a)
#define DEVICE __device__ __forceinline__
#define DEVICE_FUNCTION __device__ __noinline__
/// Placed before a loop over registers.
#define UNROLL _Pragma("unroll")
/// Shared memory of the block: SHARED(float, tile, [32][33]).
#define SHARED(TYPE, NAME, DIMS) __shared__ TYPE NAME DIMS
/// Shared memory whose size is given at the launch.
#define DYNAMIC_SHARED(TYPE, NAME)                                       \
  extern __shared__ __align__(16) unsigned char dynamic_shared_memory[]; \
  TYPE* const NAME = reinterpret_cast<TYPE*>(dynamic_shared_memory)
#else
#include "chainer/backend/cuda/emulation/emulation.h"
#define KERNEL(NAME, ARGS)                                                                              \
  static void NAME(const ARGS& a);                                                                      \
  [[maybe_unused]] static const bool NAME##_known = ::chainer::cuda::emulation::add<ARGS>(#NAME, NAME); \
  static void NAME([[maybe_unused]] const ARGS& a)
#define DEVICE inline
#define DEVICE_FUNCTION inline
#define UNROLL
#define SHARED(TYPE, NAME, DIMS)    \
  static const char NAME##_key = 0; \
  using NAME##_memory = TYPE DIMS;  \
  NAME##_memory& NAME = *::chainer::cuda::emulation::shared<NAME##_memory>(&NAME##_key)
#define DYNAMIC_SHARED(TYPE, NAME) TYPE* const NAME = static_cast<TYPE*>(::chainer::cuda::emulation::dynamic_shared())
#endif

namespace chainer::cuda {

/// This thread processes the elements first_element() + k * element_step(), for k = 0, 1, ...
DEVICE int64_t first_element() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
DEVICE int64_t element_step() { return int64_t(gridDim.x) * blockDim.x; }

}  // namespace chainer::cuda
