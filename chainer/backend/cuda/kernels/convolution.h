// Convolutions for which there is no library.
#pragma once
#include "chainer/backend/cuda/kernels/images.h"

namespace chainer::cuda {

/// An array (N, C, spatial...), or filters (K, C / groups, k...): distances in bytes.
struct Images {
  char* data;
  int64_t image, channel, axis[Windows::kAxes];
  Type type;
};

/// chainer::Convolution as a product of matrices whose elements are found where they are, without patches in memory.
/// `channels` of x and `filters` of y belong to a group. Blocks of kThreads threads have kTile x kTile results.
struct ConvolutionArgs {
  static constexpr int kTile = 64, kThreads = 256;
  Images x, w, y;  ///< one of them is written
  const char* bias;
  int64_t bias_step;
  Type bias_type;
  Windows windows;
  int channels, filters;
  int rows, steps, columns;  ///< of the product: results are rows x columns
  int parts;                 ///< of the steps: the results of a part lie `part` bytes behind those of the one before
  int64_t part;
  bool accumulate;
  template <class F>
  void pointers(F&& f) {
    f(x.data), f(w.data), f(y.data), f(bias);
  }
};

}  // namespace chainer::cuda
