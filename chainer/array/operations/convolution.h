// SPDX-License-Identifier: MIT
// The interface of convolutions between functions and backends.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// The geometry of a convolution along each spatial axis. Groups of channels are convolved separately.
struct ConvolutionPlan {
  Dims stride, pad, dilate;
  int64_t groups = 1;
  /// True if a device may use tensor cores, which round operands of float32 to ten bits of mantissa (TF32).
  bool tensor_cores = true;
  bool by_library = true;  ///< true if a device's library may be used
  bool winograd = true;    ///< true if the CPU backend may use Winograd's algorithm
  bool autotune = false;   ///< true if a device's library measures its algorithms once per shape
  /// Returns the padding after the end of axis `d` for which exactly `out` positions of a filter of size `k` fit;
  /// negative if the last elements are not covered by any filter.
  int64_t pad_end(int d, int64_t in, int64_t k, int64_t out) const {
    return (out - 1) * stride[d] + (k - 1) * dilate[d] + 1 - in - pad[d];
  }
};

/// For x (N, C, in...), W (K, C / groups, k...) and y (N, K, out...): forward computes y from x and W, backward_data
/// computes x from y and W, backward_weights computes W from x and y.
enum class Convolution : uint8_t { forward, backward_data, backward_weights };

/// The arguments of a convolution, all of one floating dtype; but on the host, gradients with respect to filters may be
/// float32 for images and results of 16 bits. Holds references, so it must not outlive the call.
struct ConvolutionCall {
  Convolution op;
  const ConvolutionPlan& plan;
  const Array& a;           ///< x, or y for backward_data
  const Array& b;           ///< W, or y for backward_weights
  const Array& bias;        ///< (channels of `out`), added to the result of forward or backward_data; may be empty
  Array& out;               ///< allocated, with the shape of the result
  bool accumulate = false;  ///< adds the result to `out` instead of overwriting it

  const Array& images() const { return op == Convolution::backward_data ? out : a; }
  const Array& filters() const { return op == Convolution::backward_weights ? out : b; }
  const Array& results() const { return op == Convolution::forward ? out : op == Convolution::backward_data ? a : b; }
};

/// Returns an undefined array (N, C, spatial...) whose channels are adjacent in memory.
Array channels_last(const Shape& shape, Dtype dtype, Device device);
/// Return the view (N, spatial..., C) of an array (N, C, spatial...), and the reverse.
Array channels_to_end(const Array& a);
Array channels_to_front(const Array& a);

}  // namespace chainer
