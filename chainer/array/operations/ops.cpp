// SPDX-License-Identifier: MIT
#include "chainer/array/operations/ops.h"

namespace chainer {
std::string_view name(Reduce op) {
  constexpr std::string_view kNames[] = {"sum", "prod", "max", "min"};
  return kNames[static_cast<int>(op)];
}

Dtype conversion_type(Dtype f, Dtype t) {
  // Conversions between floating dtypes of at most 32 bits use float32, between integers int64.
  if (!is_floating(f) && !is_floating(t)) return Dtype::int64;
  if (is_floating(f) && is_floating(t) && f != Dtype::float64 && t != Dtype::float64) return Dtype::float32;
  if (!is_floating(f) && item_size(f) <= 2 && t != Dtype::float64) return Dtype::float32;
  return Dtype::float64;
}

}  // namespace chainer
