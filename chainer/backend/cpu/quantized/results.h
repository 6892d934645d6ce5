// SPDX-License-Identifier: MIT
// What becomes of exact sums (array/host_kernels/quantized.h), in the terms of the kernels.
#pragma once
#include <algorithm>
#include <cmath>

#include "chainer/array/host_kernels/quantized.h"
#include "chainer/backend/cpu/products/int8_product.h"

namespace chainer::cpu {

inline Dtype dtype_of_result(const host_kernels::QuantizedResult& r) {
  return r.sums ? int32 : r.to ? r.to->dtype : float32;
}
/// The zero as it is in numbers without a sign: the kernels flip the highest bit of int8.
inline int unsigned_zero(const host_kernels::Quantization& q) { return q.zero + (q.dtype == int8 ? 128 : 0); }

/// Sets the kind of the results and their limits.
inline void set_limits(const host_kernels::QuantizedResult& r, Int8Output& o) {
  o.kind = r.sums ? Int8Output::sums : r.to ? Int8Output::bytes : Int8Output::floats;
  o.zero = 0, o.low = r.low, o.high = r.high;
  if (!r.to) return;
  const auto limit = [&](float v) {
    const float q = std::nearbyint(v / r.to->scale) + static_cast<float>(r.to->zero);
    return std::clamp(q, static_cast<float>(r.to->lowest()), static_cast<float>(r.to->highest()));
  };
  o.zero = static_cast<float>(r.to->zero), o.low = limit(r.low), o.high = limit(r.high);
}
/// What multiplies a sum of products with these scales.
inline float factor(const host_kernels::QuantizedResult& r, float scale) { return r.to ? scale / r.to->scale : scale; }

}  // namespace chainer::cpu
