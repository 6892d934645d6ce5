// SPDX-License-Identifier: MIT
// The generator and the discriminator of DCGAN (manual: "DCGAN"; Radford et al., arXiv:1511.06434).
#pragma once
#include <chainer/chainer.h>

#include <cmath>

/// Maps noise (N, n_hidden) to pictures (N, 3, 8 bottom, 8 bottom) with values in [0, 1].
struct Generator : chainer::Chain {
  int64_t n_hidden, ch, bottom;
  chainer::L::Linear l0;
  chainer::L::Deconvolution2D dc1, dc2, dc3, dc4;
  chainer::L::BatchNormalization bn0, bn1, bn2, bn3;
  explicit Generator(int64_t hidden, int64_t bottom_width = 4, int64_t channels = 512, double wscale = 0.02)
      : n_hidden(hidden),
        ch(channels),
        bottom(bottom_width),
        l0(hidden, bottom_width * bottom_width * channels, {.initialW = w(wscale)}),
        dc1(channels, channels / 2, 4, twice(wscale)),
        dc2(channels / 2, channels / 4, 4, twice(wscale)),
        dc3(channels / 4, channels / 8, 4, twice(wscale)),
        dc4(channels / 8, 3, 3, {.pad = 1, .initialW = w(wscale)}),
        bn0(bottom_width * bottom_width * channels),
        bn1(channels / 2),
        bn2(channels / 4),
        bn3(channels / 8) {}
  CHAINER_MEMBERS(Generator, l0, dc1, dc2, dc3, dc4, bn0, bn1, bn2, bn3);

  chainer::Array make_hidden(int64_t batchsize) const {
    return chainer::random::uniform(-1, 1, {batchsize, n_hidden}).astype(chainer::get_dtype());
  }
  chainer::Variable forward(const chainer::Variable& z) {
    using namespace chainer;
    Variable h = F::reshape(F::relu(bn0(l0(z))), {z.shape()[0], ch, bottom, bottom});
    h = F::relu(bn1(dc1(h)));
    h = F::relu(bn2(dc2(h)));
    h = F::relu(bn3(dc3(h)));
    return F::sigmoid(dc4(h));
  }

 private:
  static chainer::initializers::Normal w(double scale) { return chainer::initializers::Normal(scale); }
  static chainer::L::DeconvolutionOptions twice(double scale) { return {.stride = 2, .pad = 1, .initialW = w(scale)}; }
};

/// Maps pictures (N, 3, 8 bottom, 8 bottom) to the logit of being real. In training, noise is added before every layer.
struct Discriminator : chainer::Chain {
  chainer::L::Convolution2D c0_0, c0_1, c1_0, c1_1, c2_0, c2_1, c3_0;
  chainer::L::Linear l4;
  chainer::L::BatchNormalization bn0_1, bn1_0, bn1_1, bn2_0, bn2_1, bn3_0;
  explicit Discriminator(int64_t bottom_width = 4, int64_t ch = 512, double wscale = 0.02)
      : c0_0(3, ch / 8, 3, same(wscale)),
        c0_1(ch / 8, ch / 4, 4, half(wscale)),
        c1_0(ch / 4, ch / 4, 3, same(wscale)),
        c1_1(ch / 4, ch / 2, 4, half(wscale)),
        c2_0(ch / 2, ch / 2, 3, same(wscale)),
        c2_1(ch / 2, ch, 4, half(wscale)),
        c3_0(ch, ch, 3, same(wscale)),
        l4(bottom_width * bottom_width * ch, 1, {.initialW = chainer::initializers::Normal(wscale)}),
        bn0_1(ch / 4, {.use_gamma = false}),
        bn1_0(ch / 4, {.use_gamma = false}),
        bn1_1(ch / 2, {.use_gamma = false}),
        bn2_0(ch / 2, {.use_gamma = false}),
        bn2_1(ch, {.use_gamma = false}),
        bn3_0(ch, {.use_gamma = false}) {}
  CHAINER_MEMBERS(Discriminator, c0_0, c0_1, c1_0, c1_1, c2_0, c2_1, c3_0, l4, bn0_1, bn1_0, bn1_1, bn2_0, bn2_1,
                  bn3_0);

  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    Variable h = F::leaky_relu(noisy(c0_0(noisy(x))));
    h = F::leaky_relu(noisy(bn0_1(c0_1(h))));
    h = F::leaky_relu(noisy(bn1_0(c1_0(h))));
    h = F::leaky_relu(noisy(bn1_1(c1_1(h))));
    h = F::leaky_relu(noisy(bn2_0(c2_0(h))));
    h = F::leaky_relu(noisy(bn2_1(c2_1(h))));
    h = F::leaky_relu(noisy(bn3_0(c3_0(h))));
    return l4(h);
  }

 private:
  static chainer::Variable noisy(const chainer::Variable& h, double sigma = 0.2) {
    using namespace chainer;
    if (!config().train) return h;
    const Array mean = zeros(h.shape(), h.dtype(), h.device()),
                ln_var = full(h.shape(), 2 * std::log(sigma), h.dtype(), h.device());
    return h + F::gaussian(mean, ln_var);
  }
  static chainer::L::ConvolutionOptions same(double scale) {
    return {.pad = 1, .initialW = chainer::initializers::Normal(scale)};
  }
  static chainer::L::ConvolutionOptions half(double scale) {
    return {.stride = 2, .pad = 1, .initialW = chainer::initializers::Normal(scale)};
  }
};
