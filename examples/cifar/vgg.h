// SPDX-License-Identifier: MIT
// A VGG for small images, with batch normalization and dropout (Simonyan & Zisserman, arXiv:1409.1556).
#pragma once
#include <chainer/chainer.h>

/// A convolution without bias, batch normalization, relu.
struct VggBlock : chainer::Chain {
  chainer::L::Convolution2D conv;
  chainer::L::BatchNormalization bn;
  explicit VggBlock(int64_t channels) : conv(std::nullopt, channels, 3, {.pad = 1, .nobias = true}), bn(channels) {}
  CHAINER_MEMBERS(VggBlock, conv, bn);
  chainer::Variable forward(const chainer::Variable& x) { return chainer::F::relu(bn(conv(x))); }
};

/// Thirteen blocks in five groups, each with dropout between its blocks and max pooling after them, then two linear
/// layers. Returns logits. All dropout ratios are multiplied by `dropout`; 0 learns faster from few pictures.
struct Vgg : chainer::Chain {
  std::vector<VggBlock> blocks;
  chainer::L::Linear fc1;
  chainer::L::BatchNormalization bn_fc1;
  chainer::L::Linear fc2;
  double dropout;
  explicit Vgg(int64_t classes, double dropout = 1)
      : fc1(512, {.nobias = true}), bn_fc1(512), fc2(classes), dropout(dropout) {
    for (const Group& g : kGroups)
      for (int i = 0; i < g.blocks; ++i) blocks.emplace_back(g.channels);
  }
  CHAINER_MEMBERS(Vgg, blocks, fc1, bn_fc1, fc2);

  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    Variable h = x;
    std::size_t next = 0;
    for (const Group& g : kGroups) {
      for (int i = 0; i < g.blocks; ++i) {
        if (i > 0) h = F::dropout(h, dropout * g.dropout);
        h = blocks[next++](h);
      }
      h = F::max_pooling_2d(h, 2);
    }
    h = F::relu(bn_fc1(fc1(F::dropout(h, dropout * 0.5))));
    return fc2(F::dropout(h, dropout * 0.5));
  }

 private:
  struct Group {
    int64_t channels;
    int blocks;
    double dropout;
  };
  static constexpr Group kGroups[] = {{64, 2, 0.3}, {128, 2, 0.4}, {256, 3, 0.4}, {512, 3, 0.4}, {512, 3, 0.4}};
};

/// A small network for quick trials: three convolutions, two linear layers.
struct SmallNet : chainer::Chain {
  VggBlock conv1{32}, conv2{64}, conv3{128};
  chainer::L::Linear fc1{256}, fc2;
  explicit SmallNet(int64_t classes) : fc2(classes) {}
  CHAINER_MEMBERS(SmallNet, conv1, conv2, conv3, fc1, fc2);
  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    Variable h = F::max_pooling_2d(conv1(x), 2);
    h = F::max_pooling_2d(conv2(h), 2);
    h = F::max_pooling_2d(conv3(h), 2);
    return fc2(F::dropout(F::relu(fc1(h)), 0.5));
  }
};
