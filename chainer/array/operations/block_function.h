// SPDX-License-Identifier: MIT
// A user's formula in the form that backends execute.
#pragma once
#include <cstdint>

#include "chainer/array/dtype.h"

namespace chainer {

/// Loops over blocks of elements for float32, float64 and int64, in this order; nullptr if the formula does not support
/// the type. A bool result is a block of bytes; any other result has the computed type.
struct BlockFunction {
  using Loop = void (*)(const void* formula, void* const* out, const void* const* in, int64_t n);
  Loop loops[3] = {};
  const void* formula = nullptr;

  static int index(Dtype d) { return d == Dtype::float64 ? 1 : is_floating(d) ? 0 : 2; }
};

/// A user's combining function: `loops` reduce n elements of a block into its first one, `joins` combine one element
/// into another.
struct BlockFold {
  using Loop = void (*)(const void* combine, void* block, int64_t n);
  using Join = void (*)(const void* combine, void* total, const void* part);
  Loop loops[3] = {};
  Join joins[3] = {};
  const void* combine = nullptr;
};

}  // namespace chainer
