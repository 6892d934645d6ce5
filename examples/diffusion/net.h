// SPDX-License-Identifier: MIT
// A small U-Net that finds the noise in pictures (Ho et al., arXiv:2006.11239).
#pragma once
#include <chainer/chainer.h>
#include <chainer/links/attention.h>

#include <cmath>
#include <optional>

/// Two convolutions, to which the embedding of the time is added in between, and a path around both.
struct Block : chainer::Chain {
  chainer::L::GroupNormalization norm1, norm2;
  chainer::L::Convolution2D conv1, conv2;
  chainer::L::Linear time;
  std::optional<chainer::L::Convolution2D> around;  // a convolution of single pixels where the channels differ
  Block(int64_t in, int64_t out, int64_t time_size)
      : norm1(4, in),
        norm2(4, out),
        conv1(in, out, 3, {.pad = 1}),
        conv2(out, out, 3, {.pad = 1, .initialW = 0}),  // so that a new block is the path around it
        time(time_size, out) {
    if (in != out) around.emplace(in, out, 1);
  }
  CHAINER_MEMBERS(Block, norm1, norm2, conv1, conv2, time, around);

  chainer::Variable forward(const chainer::Variable& x, const chainer::Variable& t) {
    using namespace chainer;
    const Variable h = conv1(F::silu(norm1(x)));
    const Variable shift = F::reshape(time(t), {h.shape()[0], h.shape()[1], 1, 1});
    return conv2(F::silu(norm2(h + shift))) + (around ? (*around)(x) : x);
  }
};

/// Each pixel attends to all pixels of its picture.
struct PixelAttention : chainer::Chain {
  chainer::L::GroupNormalization norm;
  chainer::L::MultiHeadAttention attention;
  explicit PixelAttention(int64_t channels) : norm(4, channels), attention(channels, 4) {}
  CHAINER_MEMBERS(PixelAttention, norm, attention);

  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    const Shape& s = x.shape();
    const Variable pixels = F::transpose(F::reshape(norm(x), {s[0], s[1], s[2] * s[3]}), {0, 2, 1});
    return x + F::reshape(F::transpose(attention(pixels), {0, 2, 1}), s);
  }
};

/// Maps pictures (N, 1, height, width), whose sides are multiples of 4, and times (N) to the noise in them, of the same
/// shape: at half and a quarter of the size on the way down, and back on the way up, where each level also takes what
/// it computed on the way down.
struct UNet : chainer::Chain {
  int64_t width;
  chainer::L::Linear time1, time2;
  chainer::L::Convolution2D first, half, quarter, to_half, to_whole, last;
  Block down1, down2, middle1, middle2, up2, up1;
  PixelAttention attention;
  chainer::L::GroupNormalization norm;
  explicit UNet(int64_t channels)
      : width(channels),
        time1(channels, 4 * channels),
        time2(4 * channels, 4 * channels),
        first(1, channels, 3, {.pad = 1}),
        half(channels, 2 * channels, 3, {.stride = 2, .pad = 1}),
        quarter(2 * channels, 2 * channels, 3, {.stride = 2, .pad = 1}),
        to_half(2 * channels, 2 * channels, 3, {.pad = 1}),
        to_whole(2 * channels, channels, 3, {.pad = 1}),
        last(channels, 1, 3, {.pad = 1, .initialW = 0}),
        down1(channels, channels, 4 * channels),
        down2(2 * channels, 2 * channels, 4 * channels),
        middle1(2 * channels, 2 * channels, 4 * channels),
        middle2(2 * channels, 2 * channels, 4 * channels),
        up2(4 * channels, 2 * channels, 4 * channels),
        up1(2 * channels, channels, 4 * channels),
        attention(2 * channels),
        norm(4, channels) {}
  CHAINER_MEMBERS(UNet, time1, time2, first, half, quarter, to_half, to_whole, last, down1, down2, middle1, middle2,
                  up2, up1, attention, norm);

  chainer::Variable forward(const chainer::Variable& x, const chainer::Variable& t) {
    using namespace chainer;
    const Variable when = F::silu(time2(F::silu(time1(waves(t)))));
    const Variable whole = down1(first(x), when);
    const Variable halved = down2(half(whole), when);
    Variable h = attention(middle1(quarter(halved), when));
    h = twice(middle2(h, when), to_half);
    h = twice(up2(F::concat({h, halved}), when), to_whole);
    return last(F::silu(norm(up1(F::concat({h, whole}), when))));
  }

 private:
  /// Sines and cosines of the times, of wavelengths from 2 pi to 2 pi 10000.
  chainer::Variable waves(const chainer::Variable& t) const {
    using namespace chainer;
    Array rates({1, width / 2}, float32);
    for (int64_t i = 0; i < width / 2; ++i)
      rates.set({0, i}, std::pow(10000, -2 * static_cast<double>(i) / static_cast<double>(width)));
    const Variable angle = F::reshape(t, {t.size(), 1}) * Variable(rates.to_device(t.device()), false);
    return F::concat({F::sin(angle), F::cos(angle)});
  }
  static chainer::Variable twice(const chainer::Variable& x, chainer::L::Convolution2D& convolution) {
    return convolution(chainer::F::unpooling_2d(x, 2, {.cover_all = false}));
  }
};
