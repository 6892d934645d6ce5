// Windows on images, along one to three spatial axes.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Images of spatial lengths `size` and windows (or filters) on them, `out` along each axis. Fewer axes than three have
/// others of length one before them.
struct Windows {
  static constexpr int kAxes = 3;
  int size[kAxes], out[kAxes], ksize[kAxes], stride[kAxes], pad[kAxes], dilate[kAxes];
};

/// An index along each spatial axis.
struct Place {
  int at[Windows::kAxes];
};
/// Splits n, an index of an array of such lengths whose last axis is the fastest; what is left of n is the index of all
/// axes before them.
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
