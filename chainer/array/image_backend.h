// The part of a device's arithmetic that is on images: pooling, and means and variances of channels. Apart from
// backend.h, so that a new operation here compiles a few files again and not all.
#pragma once
#include "chainer/array/array.h"
#include "chainer/backend/common/pooling.h"

namespace chainer {

/// What a backend that computes on images derives from, beside Backend. Arrays are contiguous and of one dtype that
/// kernels compute in; outputs exist already.
class ImageBackend {
 public:
  virtual ~ImageBackend() = default;
  /// One operation of pooling. Images are (outer, size..., inner), windows (outer, out..., inner). `place` (int32, as
  /// windows) is where in a window, in C order: max fills it where it is given, gather and scatter read it.
  virtual void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* place) = 0;
  /// Of x (outer, keys, inner): the mean over outer and inner and the sum of squared distances from it, both (keys) in
  /// float64, in one pass over x, with blocked sums.
  virtual void moments(const Array& x, Array& mean, Array& squares) = 0;
  /// The sums of gy and of gy (x - mean) over outer and inner, both (keys) in float64.
  virtual void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) = 0;
  /// gx = a (gy - b) - c (x - mean), where a, b, c and mean (keys) are float64.
  virtual void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                                    const Array& c, Array& gx) = 0;
};

/// That of a device; DeviceError where it has none.
ImageBackend& image_backend(const Device& device);

}  // namespace chainer
