// SPDX-License-Identifier: MIT
// Bilinear samples of images, and their gradients.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// y (n, c, out_h, out_w) from images x (n, c, h, w) at the points grid (n, 2, out_h, out_w), whose coordinates are -1
/// at the first and 1 at the last pixel of an axis. Pixels outside of the image are zero. All arrays are float32 or
/// float64, on the host and contiguous; y, gx and ggrid are zero at the call.
void sample_bilinear(const Array& x, const Array& grid, Array& y);
/// The gradients with respect to x and grid.
void sample_bilinear_grad(const Array& x, const Array& grid, const Array& gy, Array& gx, Array& ggrid);

}  // namespace chainer::host_kernels
