// SPDX-License-Identifier: MIT
// The largest pixel, or point between pixels, of each bin of regions of images.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// at (regions * out_h * out_w, channels), int64: the row of `pixels` (n h w, channels) in which each channel is
/// largest in a bin (NaN wins), or -1 for an empty bin. `rois` (regions, 5), float64, holds image, x1, y1, x2, y2,
/// which are scaled and rounded. Pixels are float32 or float64; all arrays are on the host and contiguous.
void roi_argmax(const Array& pixels, int64_t h, int64_t w, const Array& rois, int64_t out_h, int64_t out_w,
                double spatial_scale, Array& at);
/// at (bins, channels), int64: the point at which each channel is largest in a bin (NaN wins), or -1 for a bin without
/// points. Bin i has the points from starts[i] to starts[i + 1]; the value of point p is the sum of the rows
/// around[p, k] (int64) of `pixels`, multiplied by weights[p, k] (float64), for k from 0 to 3.
void roi_align_argmax(const Array& pixels, const Array& around, const Array& weights, const Array& starts, Array& at);

}  // namespace chainer::host_kernels
