// SPDX-License-Identifier: MIT
// A VGG-style network with batch normalization on 32 x 32, batch 64, MomentumSGD.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct Block : Chain {
  L::Convolution2D conv;
  L::BatchNormalization bn;
  Block(int64_t in, int64_t out) : conv(in, out, 3, {.pad = 1, .nobias = true}), bn(out, {.eps = 1e-5}) {}
  CHAINER_MEMBERS(Block, conv, bn);
  Variable forward(const Variable& x) { return F::relu(bn(conv(x))); }
};

struct VGG : Chain {
  std::vector<Block> blocks;
  L::Linear fc1{512, 512, {.nobias = true}}, fc2{512, 10};
  L::BatchNormalization bn{512, {.eps = 1e-5}};
  Array mask1, mask2;
  VGG() {
    const int64_t sizes[] = {3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512};
    for (int i = 0; i < 13; ++i) blocks.emplace_back(sizes[i], sizes[i + 1]);
  }
  CHAINER_MEMBERS(VGG, blocks, fc1, fc2, bn);
  Variable forward(const Variable& x) {
    Variable h = x;
    for (int i = 0; i < 13; ++i) {
      h = blocks[static_cast<std::size_t>(i)](h);
      if (i == 1 || i == 3 || i == 6 || i == 9 || i == 12) h = F::max_pooling_2d(h, 2);
    }
    h = F::dropout(h.reshape({-1, 512}), 0.5, {.return_mask = &mask1});
    h = F::dropout(F::relu(bn(fc1(h))), 0.5, {.return_mask = &mask2});
    return fc2(h);
  }
};

Step vgg_cifar() {
  auto model = std::make_shared<VGG>();
  const Array x = uniform({64, 3, 32, 32}), t = labels(10, {64});
  Step s = training(
      model, [=] { return F::softmax_cross_entropy(model->forward(x), t); },
      std::make_shared<optimizers::MomentumSGD>(optimizers::MomentumOptions{.lr = 0.05, .momentum = 0.9}));
  s.inputs = {{"x", x}, {"t", t}};
  s.drawn = [=](std::map<std::string, Array>& to) { to["mask1"] = model->mask1, to["mask2"] = model->mask2; };
  return s;
}

}  // namespace bench
