// SPDX-License-Identifier: MIT
// The gradient of running products.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// gx of y = cumprod(x) along the middle axis of arrays (outer, n, inner), float32 or float64, on the host and
/// contiguous: gx[i] = y[i - 1] g[i] with g[i] = gy[i] + x[i + 1] g[i + 1].
void cumprod_grad(const Array& x, const Array& y, const Array& gy, Array& gx, int64_t outer, int64_t n, int64_t inner);

}  // namespace chainer::host_kernels
