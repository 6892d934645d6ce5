// SPDX-License-Identifier: MIT
// The interface of pooling between functions and backends: operations between images and windows.
#pragma once
#include "chainer/array/shape.h"

namespace chainer {

/// max: the largest element of each window, and its position in the window. sum: the weighted sum of each window.
/// gather: the element at a given position of each window. scatter and spread are the adjoints of gather and sum: each
/// element of an image receives the sum of the contributions of the windows over it.
enum class Pooling : uint8_t { max, sum, gather, scatter, spread };

/// Windows on images of spatial size `size`; `out` is their number along each axis.
struct PoolingPlan {
  /// The factor of a sum: one, one over the window's volume, or one over its volume inside the image.
  enum class Weight : uint8_t { one, volume, inside };
  Dims size, out, ksize, stride, pad;
  Weight weight = Weight::one;
};

}  // namespace chainer
