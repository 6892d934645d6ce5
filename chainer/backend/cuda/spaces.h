// SPDX-License-Identifier: MIT
// Conversion of loop plans, as used on the host, to spaces and operands of kernels.
#pragma once
#include <algorithm>
#include <bit>
#include <string>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/loop.h"
#include "chainer/backend/cuda/kernels/types.h"
#include "chainer/backend/cuda/launch.h"
#include "chainer/core/error.h"

namespace chainer::cuda {

static_assert(static_cast<int>(Type::bfloat16) == static_cast<int>(Dtype::bfloat16));
static_assert(kAxes == kMaxNdim);

/// Returns the factors for n / d as the upper half of a product (Granlund and Montgomery, "Division by invariant
/// integers using multiplication").
inline Divider divider(uint32_t d) {
  if (d == 0) d = 1;  // the space has no elements
  const uint32_t shift = d == 1 ? 0 : 32 - static_cast<uint32_t>(std::countl_zero(d - 1));
  return {d, static_cast<uint32_t>(((uint64_t(1) << 32) * ((uint64_t(1) << shift) - d)) / d + 1), shift};
}

/// Throws DeviceError for 2^31 or more elements.
template <int N>
Space space_of(const Loop<N>& loop) {
  if (loop.size >= int64_t(1) << 31)
    throw DeviceError("an operation on ", loop.size, " elements: a launch takes less than 2147483648");
  Space s{};
  s.ndim = loop.ndim;
  s.size = static_cast<uint32_t>(loop.size);
  for (int d = 0; d < loop.ndim; ++d) s.extent[d] = divider(static_cast<uint32_t>(loop.extent[d]));
  return s;
}

/// Returns array k of the loop, with its first element at `data`.
template <int N>
Operand operand_of(const Loop<N>& loop, int k, const void* data, Dtype dtype) {
  Operand o{};
  o.data = static_cast<char*>(const_cast<void*>(data));
  o.type = static_cast<Type>(dtype);
  for (int d = 0; d < loop.ndim; ++d) o.stride[d] = loop.stride[k][d] * item_size(dtype);
  return o;
}

inline Type type_of(Dtype d) { return static_cast<Type>(d); }
/// Returns the name of the kernel for a compute type, for example "fill_float64".
inline std::string kernel_for(const char* name, Dtype compute) { return text(name, "_", compute_dtype(compute)); }

/// Enough blocks to occupy a large device; with more work, each does several shares.
inline constexpr unsigned kMostBlocks = 132 * 16;
inline unsigned blocks_for(int64_t shares) {
  return static_cast<unsigned>(std::clamp<int64_t>(shares, 1, kMostBlocks));
}

/// Blocks of up to 256 threads for n elements, `each` per thread; at most enough blocks to occupy a large device.
struct Threads {
  Dim3 grid, block;
  explicit Threads(int64_t n, int each = 1, unsigned most = 256) {
    const int64_t threads = (n + each - 1) / each;
    block.x = static_cast<unsigned>(std::clamp<int64_t>((threads + 31) / 32 * 32, 32, most));
    grid.x = blocks_for((threads + block.x - 1) / block.x);
  }
};

}  // namespace chainer::cuda
