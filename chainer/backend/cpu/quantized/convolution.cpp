// SPDX-License-Identifier: MIT
// Convolutions and products as exact products of patches with packed filters.
#include <cstring>
#include <vector>

#include "chainer/array/derived.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/step.h"
#include "chainer/backend/cpu/quantized/results.h"

namespace chainer::host_kernels {
namespace {

using cpu::Int8Output;
using cpu::Int8Panels;

// Identify packed forms among those of an array.
constexpr uint64_t kFilters = uint64_t(0x53) << 56, kMatrix = uint64_t(0x54) << 56;

// The rows of patches of images (n, h, w, c): all elements under a window, for `channels` channels from `first` on.
struct Patches {
  const uint8_t* x;
  int64_t h, w, c, first, channels;
  QuantizedWindows windows;
  int64_t row;   // bytes of a padded row
  uint8_t zero;  // stands for zero
  bool flip;     // int8: the highest bit is flipped

  void copy(int64_t begin, int64_t count, uint8_t* to) const {
    for (int64_t r = begin; r < begin + count; ++r, to += row) {
      const int64_t ox = r % windows.out[1], oy = r / windows.out[1] % windows.out[0];
      const uint8_t* const image = x + r / (windows.out[0] * windows.out[1]) * h * w * c + first;
      uint8_t* at = to;
      for (int64_t ky = 0; ky < windows.kernel[0]; ++ky) {
        const int64_t y = oy * windows.stride[0] - windows.before[0] + ky * windows.dilation[0];
        const int64_t left = ox * windows.stride[1] - windows.before[1];
        const auto line = static_cast<std::size_t>(windows.kernel[1] * channels);
        if (y < 0 || y >= h) {
          std::memset(at, zero, line);
          at += line;
          continue;
        }
        const uint8_t* const source = image + y * w * c;
        if (windows.dilation[1] == 1 && channels == c) {  // one run
          const int64_t from = std::clamp<int64_t>(-left, 0, windows.kernel[1]);
          const int64_t end = std::clamp<int64_t>(w - left, from, windows.kernel[1]);
          std::memset(at, zero, static_cast<std::size_t>(from * c));
          std::memcpy(at + from * c, source + (left + from) * c, static_cast<std::size_t>((end - from) * c));
          std::memset(at + end * c, zero, static_cast<std::size_t>((windows.kernel[1] - end) * c));
          at += line;
          continue;
        }
        for (int64_t kx = 0; kx < windows.kernel[1]; ++kx, at += channels) {
          const int64_t column = left + kx * windows.dilation[1];
          if (column < 0 || column >= w)
            std::memset(at, zero, static_cast<std::size_t>(channels));
          else
            std::memcpy(at, source + column * c, static_cast<std::size_t>(channels));
        }
      }
      std::memset(at, 0, static_cast<std::size_t>(to + row - at));
      if (flip)
        for (int64_t i = 0; i < row; ++i) to[i] ^= 0x80;
    }
  }
};

// The factors and offsets of the channels [first, first + panels.columns) of a result.
struct Channels {
  Channels(const Int8Panels& panels, const void* packed, const Quantization& from, const QuantizedWeights& w,
           int64_t first, const QuantizedResult& result, Int8Output& o)
      : offset(static_cast<std::size_t>(panels.padded())), scale(offset.size()) {
    const int32_t* const sums = panels.sums(packed);
    const float* const scales = w.scales.data<float>();
    const int32_t* const bias = w.bias ? w.bias.data<int32_t>() : nullptr;
    for (int64_t j = 0; j < panels.columns; ++j) {
      offset[static_cast<std::size_t>(j)] =
          static_cast<int32_t>(static_cast<uint32_t>(bias ? bias[first + j] : 0) -
                               static_cast<uint32_t>(cpu::unsigned_zero(from)) * static_cast<uint32_t>(sums[j]));
      scale[static_cast<std::size_t>(j)] =
          cpu::factor(result, from.scale * scales[w.scales.size() == 1 ? 0 : first + j]);
    }
    cpu::set_limits(result, o);
    o.offset = offset.data(), o.scale = scale.data();
  }
  std::vector<int32_t> offset;
  std::vector<float> scale;
};

void convolve(const Array& x, const Quantization& from, const QuantizedWeights& w, const QuantizedWindows& windows,
              int64_t groups, const QuantizedResult& result, Array& out) {
  const Array images = in_order(x, {0, 2, 3, 1});
  const int64_t n = x.shape(0), c = x.shape(1), h = x.shape(2), width = x.shape(3), k = w.W.shape(0);
  const int64_t channels = c / groups, filters = k / groups;
  const int64_t inner = windows.kernel[0] * windows.kernel[1] * channels;
  const Int8Panels panels(inner, filters);
  const int64_t bytes = (panels.bytes() + 63) / 64 * 64;
  const auto form = derived_form(w.W, kFilters | static_cast<uint64_t>(groups),
                                 static_cast<std::size_t>(groups * bytes), [&](void* to) {
                                   const Array order = w.W.transpose({0, 2, 3, 1}).contiguous();
                                   for (int64_t g = 0; g < groups; ++g)
                                     cpu::pack_int8(panels, order.data<int8_t>() + g * filters * inner, inner,
                                                    static_cast<int8_t*>(to) + g * bytes);
                                 });
  const int64_t rows = n * windows.out[0] * windows.out[1];
  auto* const y = static_cast<char*>(out.mutable_raw());
  for (int64_t g = 0; g < groups; ++g) {
    const void* const packed = static_cast<const int8_t*>(form->block.data) + g * bytes;
    Int8Output o{};
    const Channels factors(panels, packed, from, w, g * filters, result, o);
    o.out = y + g * filters * item_size(out.dtype());
    o.out_step = k;
    const Patches patches{static_cast<const uint8_t*>(images.raw()),
                          h,
                          width,
                          c,
                          g * channels,
                          channels,
                          windows,
                          panels.row(),
                          static_cast<uint8_t>(from.zero),
                          from.dtype == int8};
    const bool in_place = inner == channels && channels == c && !patches.flip && windows.stride[0] == 1 &&
                          windows.stride[1] == 1 && windows.before[0] == 0 && windows.before[1] == 0 &&
                          windows.out[0] == h && windows.out[1] == width;
    // (A row is read to its padded length, which may reach into later rows, but not past the last one.)
    const int64_t whole = in_place ? std::max<int64_t>(0, rows - (panels.row() - c + c - 1) / c) : 0;
    if (whole) cpu::multiply_int8(panels, patches.x, c, whole, packed, o);
    if (whole == rows) continue;
    o.out = static_cast<char*>(o.out) + whole * k * item_size(out.dtype());
    const std::pair<const Patches*, int64_t> from_row(&patches, whole);
    cpu::multiply_int8_rows(
        panels, rows - whole,
        [](const void* p, int64_t first, int64_t count, uint8_t* to) {
          const auto& [all, begin] = *static_cast<const std::pair<const Patches*, int64_t>*>(p);
          all->copy(begin + first, count, to);
        },
        &from_row, packed, o);
  }
}

void multiply(const Array& x, const Quantization& from, const QuantizedWeights& w, bool transposed,
              const QuantizedResult& result, Array& out) {
  const Array a = x.contiguous();
  const int64_t m = x.shape(0), k = x.shape(1), n = w.W.shape(transposed ? 0 : 1);
  const Int8Panels panels(k, n);
  const auto form = derived_form(w.W, kMatrix | static_cast<uint64_t>(transposed),
                                 static_cast<std::size_t>(panels.bytes()), [&](void* to) {
                                   const Array columns = transposed ? w.W.contiguous() : w.W.T().contiguous();
                                   cpu::pack_int8(panels, columns.data<int8_t>(), k, to);
                                 });
  const void* const packed = form->block.data;
  Int8Output o{};
  const Channels factors(panels, packed, from, w, 0, result, o);
  o.out = out.mutable_raw();
  o.out_step = n;
  const auto* const rows = static_cast<const uint8_t*>(a.raw());
  if (k == panels.row() && from.dtype != int8) return cpu::multiply_int8(panels, rows, k, m, packed, o);
  const Patches patches{rows, 1, 1, k, 0, k, {.kernel = {1, 1}, .out = {1, 1}}, panels.row(), 0, from.dtype == int8};
  cpu::multiply_int8_rows(
      panels, m,
      [](const void* p, int64_t first, int64_t count, uint8_t* to) {
        static_cast<const Patches*>(p)->copy(first, count, to);
      },
      &patches, packed, o);
}

// Runs f(x, weights, out) as a step of a recording.
template <class F>
void run(const char* name, const Array& x, const QuantizedWeights& w, Array& out, F&& f) {
  if (out.size() == 0) return;
  Array in[4] = {x, w.W, w.scales, w.bias};
  recording::step(
      name, std::span<const Array>(in, w.bias ? 4 : 3), {&out, 1},
      [f](std::span<const Array> i, std::span<Array> o) {
        f(i[0], QuantizedWeights{i[1], i[2], i.size() > 3 ? i[3] : Array()}, o[0]);
      },
      true);
}

}  // namespace

Array quantized_convolution(const Array& x, const Quantization& from, const QuantizedWeights& w,
                            const QuantizedWindows& windows, int64_t groups, const QuantizedResult& result) {
  const Shape shape{x.shape(0), w.W.shape(0), windows.out[0], windows.out[1]};
  Array out = empty_in_order(shape, cpu::dtype_of_result(result), Device(), {0, 2, 3, 1}, "quantized_convolution");
  run("quantized_convolution", x, w, out,
      [=](const Array& a, const QuantizedWeights& b, Array& y) { convolve(a, from, b, windows, groups, result, y); });
  return out;
}

Array quantized_matmul(const Array& x, const Quantization& from, const QuantizedWeights& w, bool transposed,
                       const QuantizedResult& result) {
  Array out({x.shape(0), w.W.shape(transposed ? 0 : 1)}, cpu::dtype_of_result(result));
  run("quantized_matmul", x, w, out,
      [=](const Array& a, const QuantizedWeights& b, Array& y) { multiply(a, from, b, transposed, result, y); });
  return out;
}

}  // namespace chainer::host_kernels
