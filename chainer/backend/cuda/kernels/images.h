// SPDX-License-Identifier: MIT
// Windows on images, along one to three spatial axes.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The geometry of images of spatial size `size` and windows (or filters) on them, `out` along each axis. If there are
/// fewer than three axes, axes of length one precede them.
struct Windows {
  static constexpr int kAxes = 3;
  int size[kAxes], out[kAxes], ksize[kAxes], stride[kAxes], pad[kAxes], dilate[kAxes];
};

/// An index along each spatial axis.
struct Place {
  int at[Windows::kAxes];
};
/// Splits n, an index of an array with these last axes (the last one fastest). On return n is the index of the
/// remaining axes.
template <class Integer>
DEVICE Place split(Integer& n, const int (&extent)[Windows::kAxes]) {
  Place p{};
  for (int d = Windows::kAxes - 1; d >= 0; --d) {
    p.at[d] = static_cast<int>(n % extent[d]);
    n /= extent[d];
  }
  return p;
}

}  // namespace chainer::cuda
