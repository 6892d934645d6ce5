// SPDX-License-Identifier: MIT
// Convolutions that no library supports.
#pragma once
#include "chainer/backend/cuda/kernels/images.h"

namespace chainer::cuda {

/// An array (N, C, spatial...), or filters (K, C / groups, k...); strides in bytes.
struct Images {
  char* data;
  int64_t image, channel, axis[Windows::kAxes];
  Type type;
};

/// chainer::Convolution as an implicit matrix product, without patches in memory. `channels` of x and `filters` of y
/// are those of one group. Blocks of kThreads threads compute kTile x kTile results.
struct ConvolutionArgs {
  static constexpr int kTile = 64, kThreads = 256;
  Images x, w, y;  ///< one of them is the output
  const char* bias;
  int64_t bias_step;
  Type bias_type;
  Windows windows;
  int channels, filters;
  int rows, steps, columns;  ///< of the product: results are rows x columns
  int parts;  ///< into which the steps are split; results of a part are `part` bytes after the previous ones
  int64_t part;
  bool accumulate;
  template <class F>
  void pointers(F&& f) {
    f(x.data), f(w.data), f(y.data), f(bias);
  }
};

}  // namespace chainer::cuda
