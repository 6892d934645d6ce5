// SPDX-License-Identifier: MIT
// The largest pixels, or points between pixels, of bins of regions.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// `at` (regions * out_h * out_w, channels) receives rows of `pixels` (n h w, channels); see
/// host_kernels::roi_argmax().
struct RegionsArgs {
  const void* pixels;
  const double* rois;
  int64_t* at;
  int64_t h, w, channels, out_h, out_w, size;
  double scale;
  template <class F>
  void pointers(F&& f) {
    f(pixels), f(rois), f(at);
  }
};

/// `at` (bins, channels) receives points; see host_kernels::roi_align_argmax().
struct PointsArgs {
  const void* pixels;
  const int64_t *around, *starts;
  const double* weights;
  int64_t* at;
  int64_t channels, size;
  template <class F>
  void pointers(F&& f) {
    f(pixels), f(around), f(starts), f(weights), f(at);
  }
};

}  // namespace chainer::cuda
