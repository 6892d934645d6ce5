// SPDX-License-Identifier: MIT
// Convolutions with a filter for each channel, whose sums are over the pixels under a window.
#include <cstring>
#include <vector>

#include "chainer/array/derived.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/step.h"
#include "chainer/backend/cpu/quantized/results.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

constexpr uint64_t kPairs = uint64_t(0x55) << 56;  // identifies the packed form among those of an array

int64_t padded(int64_t channels) { return (channels + 15) / 16 * 16; }

// Weights in pairs (kernels/int8_table.h), and then the sum of each channel's.
void pack(const Array& W, int64_t taps, int16_t* to, int32_t* sums) {
  const Array filters = W.contiguous();
  const int8_t* const from = filters.data<int8_t>();
  const int64_t channels = W.shape(0), width = padded(channels);
  std::memset(to, 0, static_cast<std::size_t>((taps + 1) / 2 * 2 * width) * sizeof(int16_t));
  for (int64_t j = 0; j < channels; ++j) {
    sums[j] = 0;
    for (int64_t t = 0; t < taps; ++t) {
      to[(t / 2 * width + j) * 2 + t % 2] = from[j * taps + t];
      sums[j] += from[j * taps + t];
    }
  }
}

void convolve(const Array& x, const Quantization& from, const QuantizedWeights& w, const QuantizedWindows& windows,
              const QuantizedResult& result, Array& out) {
  const Array images = in_order(x, {0, 2, 3, 1});
  const int64_t c = x.shape(1), h = x.shape(2), width = x.shape(3), taps = windows.kernel[0] * windows.kernel[1];
  const int64_t wide = padded(c), pairs = (taps + 1) / 2, size = pairs * 2 * wide;
  const auto form = derived_form(w.W, kPairs, static_cast<std::size_t>(size * 2 + wide * 4), [&](void* to) {
    auto* const weights = static_cast<int16_t*>(to);
    pack(w.W, taps, weights, reinterpret_cast<int32_t*>(weights + size));
  });
  const auto* const weights = static_cast<const int16_t*>(form->block.data);
  const auto* const sums_of_weights = reinterpret_cast<const int32_t*>(weights + size);
  cpu::Int8Output o{};
  cpu::set_limits(result, o);
  std::vector<int32_t> offset(static_cast<std::size_t>(wide));
  std::vector<float> scale(static_cast<std::size_t>(wide));
  const float* const scales = w.scales.data<float>();
  for (int64_t j = 0; j < c; ++j) {
    const auto at = static_cast<std::size_t>(j);
    offset[at] = (w.bias ? w.bias.data<int32_t>()[j] : 0) - from.zero * sums_of_weights[j];
    scale[at] = cpu::factor(result, from.scale * scales[w.scales.size() == 1 ? 0 : j]);
  }
  const std::vector<uint8_t> zeros(static_cast<std::size_t>(c), static_cast<uint8_t>(from.zero));
  const auto* const source = static_cast<const uint8_t*>(images.raw());
  auto* const to = static_cast<char*>(out.mutable_raw());
  const auto depthwise = cpu::int8_loops().depthwise[from.dtype == int8];
  const int64_t rows = x.shape(0) * windows.out[0] * windows.out[1];
  cpu::parallel_ranges(rows, rows * c * taps / 4, 8, [&](int64_t begin, int64_t end) {
    std::vector<const uint8_t*> pixels(static_cast<std::size_t>(2 * pairs), zeros.data());
    std::vector<int32_t> sums(static_cast<std::size_t>(wide));
    for (int64_t r = begin; r < end; ++r) {
      const int64_t left = r % windows.out[1] * windows.stride[1] - windows.before[1];
      const int64_t top = r / windows.out[1] % windows.out[0] * windows.stride[0] - windows.before[0];
      const uint8_t* const image = source + r / (windows.out[0] * windows.out[1]) * h * width * c;
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t y = top + t / windows.kernel[1] * windows.dilation[0];
        const int64_t column = left + t % windows.kernel[1] * windows.dilation[1];
        const bool inside = y >= 0 && y < h && column >= 0 && column < width;
        pixels[static_cast<std::size_t>(t)] = inside ? image + (y * width + column) * c : zeros.data();
      }
      depthwise({pixels.data(), weights, pairs, c, wide, sums.data()});
      const cpu::Int8Results results{sums.data(), offset.data(), scale.data(), c, o.zero, o.low, o.high};
      if (o.kind == cpu::Int8Output::bytes)
        cpu::int8_loops().to_bytes(results, reinterpret_cast<uint8_t*>(to) + r * c);
      else if (o.kind == cpu::Int8Output::floats)
        cpu::int8_loops().to_floats(results, reinterpret_cast<float*>(to) + r * c);
      else
        for (int64_t j = 0; j < c; ++j)
          reinterpret_cast<int32_t*>(to)[r * c + j] =
              sums[static_cast<std::size_t>(j)] + offset[static_cast<std::size_t>(j)];
    }
  });
}

}  // namespace

Array quantized_depthwise(const Array& x, const Quantization& from, const QuantizedWeights& w,
                          const QuantizedWindows& windows, const QuantizedResult& result) {
  const Shape shape{x.shape(0), x.shape(1), windows.out[0], windows.out[1]};
  Array out = empty_in_order(shape, cpu::dtype_of_result(result), Device(), {0, 2, 3, 1}, "quantized_depthwise");
  if (out.size() == 0) return out;
  const Array in[4] = {x, w.W, w.scales, w.bias};
  recording::step(
      "quantized_depthwise", std::span<const Array>(in, w.bias ? 4 : 3), {&out, 1},
      [=](std::span<const Array> i, std::span<Array> y) {
        convolve(i[0], from, {i[1], i[2], i.size() > 3 ? i[3] : Array()}, windows, result, y[0]);
      },
      true);
  return out;
}

}  // namespace chainer::host_kernels
