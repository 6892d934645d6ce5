// SPDX-License-Identifier: MIT
// The largest pixels and points of regions.
#include "chainer/backend/cuda/kernels/regions.h"

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {

bool CudaBackend::roi_argmax(const Array& pixels, int64_t h, int64_t w, const Array& rois, int64_t out_h, int64_t out_w,
                             double spatial_scale, Array& at) {
  if (at.size() == 0) return true;
  RegionsArgs args{};
  args.pixels = pixels.raw(), args.rois = static_cast<const double*>(rois.raw());
  args.at = static_cast<int64_t*>(at.mutable_raw());
  args.h = h, args.w = w, args.channels = at.shape()[1], args.out_h = out_h, args.out_w = out_w;
  args.size = at.size(), args.scale = spatial_scale;
  const Threads t(at.size());
  launch(at.device().index(), kernel_for("largest_pixels", pixels.dtype()), t.grid, t.block, args);
  return true;
}

bool CudaBackend::roi_align_argmax(const Array& pixels, const Array& around, const Array& weights, const Array& starts,
                                   Array& at) {
  if (at.size() == 0) return true;
  PointsArgs args{};
  args.pixels = pixels.raw(), args.around = static_cast<const int64_t*>(around.raw());
  args.weights = static_cast<const double*>(weights.raw()), args.starts = static_cast<const int64_t*>(starts.raw());
  args.at = static_cast<int64_t*>(at.mutable_raw());
  args.channels = at.shape()[1], args.size = at.size();
  const Threads t(at.size());
  launch(at.device().index(), kernel_for("largest_points", pixels.dtype()), t.grid, t.block, args);
  return true;
}

}  // namespace chainer::cuda
