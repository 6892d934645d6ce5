// SPDX-License-Identifier: MIT
// The largest of each pool of elements, and its gradient.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// An array seen as (outer, k, inner), of which each k elements along the middle axis are one pool.
struct MaxoutPools {
  int64_t outer, k, inner;
};
/// y (outer, inner) = the largest of each pool of x, NaN where the pool has a NaN. Both are float32 or float64, on the
/// host and contiguous.
void maxout(const MaxoutPools& pools, const Array& x, Array& y);
/// gx (outer, k, inner): all elements of a pool that equal its largest get the gradient gy of the pool.
void maxout_grad(const MaxoutPools& pools, const Array& x, const Array& y, const Array& gy, Array& gx);

}  // namespace chainer::host_kernels
