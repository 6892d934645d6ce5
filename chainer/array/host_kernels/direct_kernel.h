// SPDX-License-Identifier: MIT
// The kernel of a small elementwise operation, for repeated calls with other addresses.
#pragma once
#include <span>

#include "chainer/array/array.h"
#include "chainer/array/operations/families.h"

namespace chainer::host_kernels {

/// Arguments: out, up to three operands, the number of elements.
using Kernel = void (*)(void*, const void*, const void*, const void*, int64_t);

/// Returns the kernel that Backend::elementwise() would call once over these arrays on the host; nullptr if it would
/// also convert, gather or use threads. Defined by the CPU backend.
Kernel direct_kernel(Elementwise op, std::span<const Array* const> inputs, const Array& out, Dtype compute);

}  // namespace chainer::host_kernels
