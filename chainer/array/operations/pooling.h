// Pooling as backends see it: operations between images and what stands for windows on them.
#pragma once
#include "chainer/array/shape.h"

namespace chainer {

/// max: the largest element of each window, and its place there. sum: the weighted sum of each window. gather: the
/// element at a given place of each window. scatter and spread are the adjoints of gather and sum: every element of an
/// image gets what the windows over it give.
enum class Pooling : uint8_t { max, sum, gather, scatter, spread };

/// Windows on images of spatial lengths `size`, `out` of them along each axis.
struct PoolingPlan {
  /// What a sum is multiplied with: one, one over the window's volume, or one over how much of it lies in the image.
  enum class Weight : uint8_t { one, volume, inside };
  Dims size, out, ksize, stride, pad;
  Weight weight = Weight::one;
};

}  // namespace chainer
