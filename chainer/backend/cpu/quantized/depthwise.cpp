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

// Identify packed forms among those of an array.
constexpr uint64_t kPairs = uint64_t(0x55) << 56, kFours = uint64_t(0x56) << 56;

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

// The place of a channel among 64 in the order of Int8Depthwise64.
int64_t place(int64_t j) { return j % 16 / 4 * 16 + j / 16 % 4 * 4 + j % 4; }

// Weights in fours for each 64 channels: all taps one after another, or the taps of each column.
void pack_fours(const Array& W, bool by_column, int64_t fours, int8_t* to) {
  const Array filters = W.contiguous();
  const int8_t* const from = filters.data<int8_t>();
  const int64_t channels = W.shape(0), width = W.shape(3), taps = W.shape(2) * width;
  std::memset(to, 0, static_cast<std::size_t>((channels + 63) / 64 * fours * 256));
  for (int64_t j = 0; j < channels; ++j)
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t four = by_column ? t % width : t / 4, at = by_column ? t / width : t % 4;
      to[(j / 64 * fours + four) * 256 + place(j) * 4 + at] = from[j * taps + t];
    }
}

// What all pixels share. Offsets and scales are padded, and in the order of the kernel.
struct Depthwise {
  Depthwise(const Array& x, const Quantization& from, const QuantizedWeights& w, const QuantizedWindows& windows,
            const QuantizedResult& result)
      : c(x.shape(1)), h(x.shape(2)), width(x.shape(3)), windows(windows), signs(from.dtype == int8) {
    cpu::set_limits(result, o);
    taps = windows.kernel[0] * windows.kernel[1];
    const int64_t wide = padded(c), pairs = (taps + 1) / 2, size = pairs * 2 * wide;
    form = derived_form(w.W, kPairs, static_cast<std::size_t>(size * 2 + wide * 4), [&](void* to) {
      auto* const weights = static_cast<int16_t*>(to);
      pack(w.W, taps, weights, reinterpret_cast<int32_t*>(weights + size));
    });
    const auto* const sums = reinterpret_cast<const int32_t*>(static_cast<const int16_t*>(form->block.data) + size);
    fused = o.kind == cpu::Int8Output::bytes && cpu::int8_kernels().depthwise;
    by_line =
        fused && windows.kernel[0] <= 4 && windows.kernel[1] == 3 && windows.dilation[1] == 1 && windows.stride[1] <= 2;
    count = by_line ? 3 : (taps + 3) / 4;
    if (fused)
      fours = derived_form(w.W, kFours | by_line, static_cast<std::size_t>((c + 63) / 64 * count * 256),
                           [&](void* to) { pack_fours(w.W, by_line, count, static_cast<int8_t*>(to)); });
    offset.resize(static_cast<std::size_t>((c + 63) / 64 * 64));
    scale.resize(offset.size());
    const float* const scales = w.scales.data<float>();
    const int zero = fused ? cpu::unsigned_zero(from) : from.zero;
    for (int64_t j = 0; j < c; ++j) {
      const auto at = static_cast<std::size_t>(fused ? j / 64 * 64 + place(j) : j);
      const auto bias = static_cast<uint32_t>(w.bias ? w.bias.data<int32_t>()[j] : 0);
      offset[at] = static_cast<int32_t>(bias - static_cast<uint32_t>(zero) * static_cast<uint32_t>(sums[j]));
      scale[at] = cpu::factor(result, from.scale * scales[w.scales.size() == 1 ? 0 : j]);
    }
    zeros.assign(static_cast<std::size_t>(by_line ? c * width : c), static_cast<uint8_t>(from.zero));
  }

  int64_t groups() const { return (c + 63) / 64; }
  cpu::Int8Depthwise64 group(int64_t g) const {
    return {g * 64,
            std::min<int64_t>(64, c - g * 64),
            signs,
            static_cast<const int8_t*>(fours->block.data) + g * count * 256,
            offset.data() + g * 64,
            scale.data() + g * 64,
            o.zero,
            o.low,
            o.high};
  }

  // Computes the channels of group g in line r of the result.
  void run_line(const uint8_t* images, int64_t r, int64_t g, uint8_t* to) const {
    cpu::Int8Line line{
        {}, zeros.data(), width, c, -windows.before[1], windows.stride[1], to + r * windows.out[1] * c, windows.out[1]};
    const int64_t top = r % windows.out[0] * windows.stride[0] - windows.before[0];
    const uint8_t* const image = images + r / windows.out[0] * h * width * c;
    for (int64_t t = 0; t < 4; ++t) {
      const int64_t y = top + t * windows.dilation[0];
      line.rows[t] = t < windows.kernel[0] && y >= 0 && y < h ? image + y * width * c : zeros.data();
    }
    cpu::int8_kernels().depthwise_line(group(g), line);
  }

  // Sets the pixels under the window of row r of the result.
  void find(const uint8_t* images, int64_t r, const uint8_t** pixels) const {
    const int64_t left = r % windows.out[1] * windows.stride[1] - windows.before[1];
    const int64_t top = r / windows.out[1] % windows.out[0] * windows.stride[0] - windows.before[0];
    const uint8_t* const image = images + r / (windows.out[0] * windows.out[1]) * h * width * c;
    for (int64_t ky = 0; ky < windows.kernel[0]; ++ky) {
      const int64_t y = top + ky * windows.dilation[0];
      for (int64_t kx = 0, column = left; kx < windows.kernel[1]; ++kx, column += windows.dilation[1]) {
        const bool inside = y >= 0 && y < h && column >= 0 && column < width;
        *pixels++ = inside ? image + (y * width + column) * c : zeros.data();
      }
    }
  }

  void run_fused(const uint8_t* const* pixels, uint8_t* to) const {
    for (int64_t g = 0; g < groups(); ++g) cpu::int8_kernels().depthwise(group(g), pixels, count, to + g * 64);
  }

  void run(const uint8_t* const* pixels, int32_t* sums, char* to, int64_t r) const {
    cpu::int8_loops().depthwise[signs](
        {pixels, static_cast<const int16_t*>(form->block.data), (taps + 1) / 2, c, padded(c), sums});
    const cpu::Int8Results results{sums, offset.data(), scale.data(), c, o.zero, o.low, o.high};
    if (o.kind == cpu::Int8Output::bytes)
      cpu::int8_loops().to_bytes(results, reinterpret_cast<uint8_t*>(to) + r * c);
    else if (o.kind == cpu::Int8Output::floats)
      cpu::int8_loops().to_floats(results, reinterpret_cast<float*>(to) + r * c);
    else
      for (int64_t j = 0; j < c; ++j)
        reinterpret_cast<int32_t*>(to)[r * c + j] = static_cast<int32_t>(
            static_cast<uint32_t>(sums[j]) + static_cast<uint32_t>(offset[static_cast<std::size_t>(j)]));
  }

  int64_t c, h, width, taps, count = 0;  // count: of fours
  QuantizedWindows windows;
  bool signs, fused = false, by_line = false;
  cpu::Int8Output o{};
  std::shared_ptr<const DerivedForm> form, fours;
  std::vector<int32_t> offset;
  std::vector<float> scale;
  std::vector<uint8_t> zeros;
};

void convolve(const Array& x, const Quantization& from, const QuantizedWeights& w, const QuantizedWindows& windows,
              const QuantizedResult& result, Array& out) {
  const Array images = in_order(x, {0, 2, 3, 1});
  const Depthwise d(x, from, w, windows, result);
  const auto* const source = static_cast<const uint8_t*>(images.raw());
  auto* const to = static_cast<char*>(out.mutable_raw());
  const int64_t lines = x.shape(0) * windows.out[0], rows = lines * windows.out[1];
  if (d.by_line) {
    cpu::parallel_ranges(lines * d.groups(), rows * d.c * d.taps / 16, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        d.run_line(source, i / d.groups(), i % d.groups(), reinterpret_cast<uint8_t*>(to));
    });
    return;
  }
  cpu::parallel_ranges(rows, rows * d.c * d.taps / (d.fused ? 16 : 4), 8, [&](int64_t begin, int64_t end) {
    std::vector<const uint8_t*> pixels(static_cast<std::size_t>(d.taps + 3), d.zeros.data());
    std::vector<int32_t> sums(static_cast<std::size_t>(padded(d.c)));
    for (int64_t r = begin; r < end; ++r) {
      d.find(source, r, pixels.data());
      if (d.fused)
        d.run_fused(pixels.data(), reinterpret_cast<uint8_t*>(to) + r * d.c);
      else
        d.run(pixels.data(), sums.data(), to, r);
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
