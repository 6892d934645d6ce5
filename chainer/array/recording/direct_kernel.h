// The loop behind a small elementwise operation, for whoever calls it again and again with other addresses.
#pragma once
#include <span>

#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"

namespace chainer::recording {

/// out, up to three operands, the number of elements.
using Kernel = void (*)(void*, const void*, const void*, const void*, int64_t);

/// The host's loop that Backend::elementwise() would run once over these arrays; nullptr where it would do more than
/// that: convert, gather, use threads. Defined by the host's backend.
Kernel direct_kernel(Elementwise op, std::span<const Array* const> inputs, const Array& out, Dtype compute);

}  // namespace chainer::recording
