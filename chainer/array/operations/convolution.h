// Convolutions as backends see them: three operations on images, filters and results.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// How filters are put on images, for each spatial axis; groups of channels convolve apart from each other.
struct ConvolutionPlan {
  Dims stride, pad, dilate;
  int64_t groups = 1;
  /// Which results may come from units of a device that multiply small matrices: those of 16-bit types, or also those
  /// of float32, which they round to ten bits of mantissa first.
  enum class MatrixUnits : uint8_t { none, halves, all };
  MatrixUnits units = MatrixUnits::halves;
  bool by_library = true;  ///< whether a device's library may be asked
  /// Elements of padding behind the end of axis `d`, so that exactly `out` positions of a filter of `k` fit; negative
  /// where the last elements are under no filter.
  int64_t pad_end(int d, int64_t in, int64_t k, int64_t out) const {
    return (out - 1) * stride[d] + (k - 1) * dilate[d] + 1 - in - pad[d];
  }
};

/// x (N, C, in...), W (K, C / groups, k...), y (N, K, out...): forward computes y from x and W, backward_data x from y
/// and W, backward_weights W from x and y.
enum class Convolution : uint8_t { forward, backward_data, backward_weights };

/// The operation on the device of `out` (Backend::convolution()). A program that nowhere calls it is linked without the
/// host's convolutions: that backend learns of them here.
void convolve(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
              Array& out, bool accumulate);

/// A new array (N, C, spatial...) whose channels lie next to each other in memory.
Array channels_last(const Shape& shape, Dtype dtype, Device device);
/// The view (N, spatial..., C) of an array (N, C, spatial...), and back.
Array channels_to_end(const Array& a);
Array channels_to_front(const Array& a);

}  // namespace chainer
