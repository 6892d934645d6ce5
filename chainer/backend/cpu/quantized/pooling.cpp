// SPDX-License-Identifier: MIT
// Pooling of integers of eight bits.
#include <cstring>
#include <vector>

#include "chainer/array/order.h"
#include "chainer/array/recording/step.h"
#include "chainer/backend/cpu/quantized/results.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

void pool(const Array& x, const QuantizedWindows& windows, Array& out) {
  const Array images = in_order(x, {0, 2, 3, 1});
  const int64_t c = x.shape(1), h = x.shape(2), w = x.shape(3);
  const auto* const from = static_cast<const uint8_t*>(images.raw());
  auto* const to = static_cast<uint8_t*>(out.mutable_raw());
  const auto larger = cpu::int8_loops().larger[x.dtype() == int8];
  const int64_t rows = x.shape(0) * windows.out[0] * windows.out[1];
  cpu::parallel_ranges(rows, x.size() * 2, 8, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t left = r % windows.out[1] * windows.stride[1] - windows.before[1];
      const int64_t top = r / windows.out[1] % windows.out[0] * windows.stride[0] - windows.before[0];
      const uint8_t* const image = from + r / (windows.out[0] * windows.out[1]) * h * w * c;
      uint8_t* const best = to + r * c;
      std::memset(best, x.dtype() == int8 ? 0x80 : 0, static_cast<std::size_t>(c));
      for (int64_t ky = 0; ky < windows.kernel[0]; ++ky)
        for (int64_t kx = 0; kx < windows.kernel[1]; ++kx) {
          const int64_t y = top + ky * windows.dilation[0], column = left + kx * windows.dilation[1];
          if (y >= 0 && y < h && column >= 0 && column < w) larger(best, image + (y * w + column) * c, c);
        }
    }
  });
}

void average(const Array& x, const Quantization& from, const QuantizedResult& result, Array& out) {
  const Array images = in_order(x, {0, 2, 3, 1});
  const int64_t c = x.shape(1), pixels = x.shape(2) * x.shape(3);
  const auto* const p = static_cast<const uint8_t*>(images.raw());
  auto* const to = static_cast<char*>(out.mutable_raw());
  const auto accumulate = cpu::int8_loops().accumulate[x.dtype() == int8];
  cpu::Int8Output o{};
  cpu::set_limits(result, o);
  const auto padded = static_cast<std::size_t>((c + 15) / 16 * 16);  // kernels read whole vectors
  const std::vector<int32_t> offset(padded, static_cast<int32_t>(-from.zero * pixels));
  const std::vector<float> scale(padded, cpu::factor(result, from.scale / static_cast<float>(pixels)));
  cpu::parallel_ranges(x.shape(0), x.size(), 1, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> sums(padded);
    for (int64_t i = begin; i < end; ++i) {
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t r = 0; r < pixels; ++r) accumulate(sums.data(), p + (i * pixels + r) * c, c);
      const cpu::Int8Results r{sums.data(), offset.data(), scale.data(), c, o.zero, o.low, o.high};
      if (result.to)
        cpu::int8_loops().to_bytes(r, reinterpret_cast<uint8_t*>(to) + i * c);
      else
        cpu::int8_loops().to_floats(r, reinterpret_cast<float*>(to) + i * c);
    }
  });
}

}  // namespace

Array quantized_max_pooling(const Array& x, const QuantizedWindows& windows) {
  const Shape shape{x.shape(0), x.shape(1), windows.out[0], windows.out[1]};
  Array out = empty_in_order(shape, x.dtype(), Device(), {0, 2, 3, 1}, "quantized_max_pooling");
  if (out.size() == 0) return out;
  recording::step(
      "quantized_max_pooling", {&x, 1}, {&out, 1},
      [=](std::span<const Array> i, std::span<Array> y) { pool(i[0], windows, y[0]); }, true);
  return out;
}

Array quantized_means(const Array& x, const Quantization& from, const QuantizedResult& result) {
  Array out({x.shape(0), x.shape(1), 1, 1}, cpu::dtype_of_result(result));
  if (out.size() == 0) return out;
  recording::step(
      "quantized_means", {&x, 1}, {&out, 1},
      [=](std::span<const Array> i, std::span<Array> y) { average(i[0], from, result, y[0]); }, true);
  return out;
}

}  // namespace chainer::host_kernels
