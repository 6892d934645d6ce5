// SPDX-License-Identifier: MIT
// A vision transformer for small images (Dosovitskiy et al., arXiv:2010.11929).
#pragma once
#include <chainer/chainer.h>

/// Patches of 4 x 4 pixels as a sequence with learnt positions, a TransformerEncoder, and a linear layer on the mean
/// over the patches. Takes images (N, 3, 32, 32) and returns logits.
struct Vit : chainer::Chain {
  chainer::L::Convolution2D patches;
  chainer::L::Parameter positions;
  chainer::L::TransformerEncoder encoder;
  chainer::L::Linear head;
  explicit Vit(int64_t classes, double dropout = 0.1, int64_t layers = 6, int64_t size = 192, int64_t heads = 3)
      : patches(3, size, 4, {.stride = 4}),
        positions(chainer::random::normal(0, 0.02, {64, size}, chainer::float32)),
        encoder(layers, size, heads,
                {.feedforward = 2 * size, .dropout = dropout, .activation = chainer::F::gelu, .norm_first = true}),
        head(size, classes) {}
  CHAINER_MEMBERS(Vit, patches, positions, encoder, head);

  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    Variable h = patches(x);
    h = F::transpose(F::reshape(h, {h.shape()[0], h.shape()[1], 64}), {0, 2, 1});
    return head(F::mean(encoder(h + F::broadcast_to(positions(), h.shape())), 1));
  }
};
