// SPDX-License-Identifier: MIT
// Operations on arrays of integers of eight bits that stand for real numbers. Images (N, C, H, W) have adjacent
// channels in memory (array/order.h); in another order they are copied. All arrays are on the host.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// Integers q of a dtype, uint8 or int8, that stand for (q - zero) * scale.
struct Quantization {
  float scale = 1;
  int zero = 0;
  Dtype dtype = uint8;
  bool operator==(const Quantization&) const = default;
  int lowest() const { return dtype == int8 ? -128 : 0; }
  int highest() const { return dtype == int8 ? 127 : 255; }
};
/// The result of an operation: integers rounded to the nearest, half to even, or float32; both after the limits.
/// `sums` gives the sums in int32.
struct QuantizedResult {
  std::optional<Quantization> to = {};
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool sums = false;
};
/// Constant weights: W, int8, with the scale of each output channel, or of all of them, in `scales` (float32), and the
/// bias of each, int32, which is added to the sums: (out), or empty.
struct QuantizedWeights {
  Array W, scales, bias = {};
};
/// The windows of a convolution or of pooling on (H, W).
struct QuantizedWindows {
  int64_t kernel[2], stride[2] = {1, 1}, before[2] = {0, 0}, dilation[2] = {1, 1}, out[2];
};

/// Returns x / scale, rounded, plus zero, limited to the dtype. x is float32; the result has its memory order.
Array quantize(const Array& x, const Quantization& to);
/// Convolves x (N, C, H, W) with W (K, C / groups, h, w). Padding stands for zeros. Sums are exact modulo 2^32.
Array quantized_convolution(const Array& x, const Quantization& from, const QuantizedWeights& w,
                            const QuantizedWindows& windows, int64_t groups, const QuantizedResult& result);
/// The same with a filter (K, 1, h, w) for each of K channels.
Array quantized_depthwise(const Array& x, const Quantization& from, const QuantizedWeights& w,
                          const QuantizedWindows& windows, const QuantizedResult& result);
/// Multiplies x (M, K) by W (K, N), or by W (N, K) if it is transposed.
Array quantized_matmul(const Array& x, const Quantization& from, const QuantizedWeights& w, bool transposed,
                       const QuantizedResult& result);
/// Returns a + b, of one shape, as integers.
Array quantized_add(const Array& a, const Quantization& of_a, const Array& b, const Quantization& of_b,
                    const QuantizedResult& result);
/// Returns a * b likewise.
Array quantized_multiply(const Array& a, const Quantization& of_a, const Array& b, const Quantization& of_b,
                         const QuantizedResult& result);
/// Returns table[x], where the table has 256 integers of eight bits: element b is the result for the byte b, which for
/// int8 is the integer in two's complement.
Array quantized_look_up(const Array& x, const Array& table);
/// Returns the largest integer under each window of x (N, C, H, W); those outside of x do not count.
Array quantized_max_pooling(const Array& x, const QuantizedWindows& windows);
/// Returns the means (N, C, 1, 1) of x (N, C, H, W).
Array quantized_means(const Array& x, const Quantization& from, const QuantizedResult& result);

}  // namespace chainer::host_kernels
