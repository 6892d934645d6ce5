// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/convolution/bfloat_grid.h"

#include <cstring>

#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// (Also of negative numbers.)
int64_t divided_up(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

}  // namespace

GridAxis::GridAxis(int64_t in, int64_t out, int64_t stride, int64_t pad, std::vector<int64_t> taps)
    : in(in), out(out), stride(stride), pad(pad), taps(std::move(taps)), reach(0), pitch(out) {
  int64_t zeros = out;  // at the beginning of every line
  for (int64_t t : this->taps) reach = std::max(reach, t / stride);
  for (int64_t t : this->taps) {
    zeros = std::min(zeros, begin(t % stride));
    pitch = std::max(pitch, end(t % stride));
  }
  pitch = std::max(pitch, out + reach - zeros);
}

int64_t GridAxis::begin(int64_t phase) const { return std::max<int64_t>(0, divided_up(pad - phase, stride)); }
int64_t GridAxis::end(int64_t phase) const {
  return std::max(begin(phase), std::min(out + reach, divided_up(in + pad - phase, stride)));
}

BfloatGrid::BfloatGrid(const Array& images, const GridAxis& y, const GridAxis& x)
    : y_(y),
      x_(x),
      batch_(images.shape()[0]),
      given_(images.shape()[3]),
      channels_(blocks_of(given_, kBfloatInner) * kBfloatInner),
      region_(blocks_of(rows() + reach() + kAfter, 2) * 2),
      memory_(y.stride * x.stride * region_ * channels_ / 2) {
  const auto* const from = static_cast<const uint16_t*>(images.raw());
  auto* const to = reinterpret_cast<uint16_t*>(memory_.data());
  const int64_t image = images.shape()[1] * images.shape()[2] * given_, lines = batch_ * y.pitch;
  std::vector<bool> used(static_cast<std::size_t>(y.stride * x.stride));
  for (int64_t ty : y.taps)
    for (int64_t tx : x.taps) used[static_cast<std::size_t>(ty % y.stride * x.stride + tx % x.stride)] = true;
  for (int64_t phase = 0; phase < y.stride * x.stride; ++phase) {
    if (!used[static_cast<std::size_t>(phase)]) continue;
    uint16_t* const region = to + phase * region_ * channels_;
    parallel_ranges(lines, rows() * channels_ / 4, 1, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line)
        copy_line(from + line / y.pitch * image, line % y.pitch, phase / x.stride, phase % x.stride,
                  region + line * x.pitch * channels_);
    });
    std::memset(region + rows() * channels_, 0,
                static_cast<std::size_t>((region_ - rows()) * channels_) * sizeof(uint16_t));
  }
}

void BfloatGrid::copy_line(const uint16_t* image, int64_t i, int64_t phase_y, int64_t phase_x, uint16_t* to) const {
  const auto clear = [&](int64_t first, int64_t end) {
    if (end > first)
      std::memset(to + first * channels_, 0, static_cast<std::size_t>((end - first) * channels_) * sizeof(uint16_t));
  };
  if (i < y_.begin(phase_y) || i >= y_.end(phase_y)) return clear(0, x_.pitch);
  const int64_t begin = x_.begin(phase_x), end = x_.end(phase_x);
  const uint16_t* from = image + (y_.input(i, phase_y) * x_.in + x_.input(begin, phase_x)) * given_;
  clear(0, begin), clear(end, x_.pitch);
  const auto bytes = static_cast<std::size_t>(given_) * sizeof(uint16_t);
  if (x_.stride == 1 && given_ == channels_) {
    std::memcpy(to + begin * channels_, from, static_cast<std::size_t>(end - begin) * bytes);
    return;
  }
  for (int64_t j = begin; j < end; ++j, from += x_.stride * given_) {
    std::memcpy(to + j * channels_, from, bytes);
    if (given_ < channels_)
      std::memset(to + j * channels_ + given_, 0, static_cast<std::size_t>(channels_ - given_) * sizeof(uint16_t));
  }
}

}  // namespace chainer::cpu
