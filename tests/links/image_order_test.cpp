// SPDX-License-Identifier: MIT
// A network of convolutions computes in one memory order: images are copied to it only at the input, and back at the
// output.
#include <chainer/array/order.h>
#include <chainer/array/deferred/deferred.h>
#include <chainer/chainer.h>

#include "chainer/backend/cpu/products/blas.h"
#include "test.h"

using namespace chainer;

namespace {

struct Block : Chain {
  L::Convolution2D conv;
  L::BatchNormalization bn;
  Block(int64_t in, int64_t out) : conv(in, out, 3, {.pad = 1, .nobias = true}), bn(out) {}
  CHAINER_MEMBERS(Block, conv, bn);
  Variable forward(const Variable& x) { return F::relu(bn(conv(x))); }
};

// Like the VGG of the examples, with a shortcut around every third block as in ResNet. Without dropout, whose mask is
// drawn in C order so that its numbers do not depend on the memory order.
struct Network : Chain {
  std::vector<Block> blocks;
  L::Linear fc1{std::nullopt, 32}, fc2{32, 10};
  explicit Network(int depth) {
    for (int i = 0; i < depth; ++i) blocks.emplace_back(i ? 16 : 3, 16);
  }
  CHAINER_MEMBERS(Network, blocks, fc1, fc2);
  Variable forward(const Variable& x) {
    Variable h = blocks[0](x);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      const Variable y = blocks[i](h);
      h = i % 3 == 2 ? F::relu(y + h) : y;
      if (i == 1 || i == 3) h = F::max_pooling_2d(h, 2);
      if (i == 4) h = F::average_pooling_2d(h, 2);
    }
    return fc2(F::relu(fc1(h)));
  }
};

// Counts copies from one order to another during a step; parameters are created before.
int64_t copies(int depth, bool train) {
  random::seed(1);
  Network model(depth);
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  const Array x = random::uniform(0, 1, {4, 3, 32, 32}, float32), t = zeros({4}, int32);
  int64_t before = 0;
  for (int step = 0; step < 2; ++step) {
    before = order_copies();
    if (!train) {
      const UsingConfig test(&Config::train, false);
      const NoBackpropMode no_graph;
      (void)model.forward(x).array().raw();
      continue;
    }
    const Variable loss = F::softmax_cross_entropy(model.forward(x), t);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
  return order_copies() - before;
}

}  // namespace

TEST(images_are_brought_into_another_order_at_both_ends_only) {
  if (cpu::onednn_version().empty()) return std::puts("  without oneDNN, patches are copied: left out"), void();
#if !defined(__x86_64__)
  // There oneDNN computes convolutions as products of patches, whose bits depend on the number of threads, so the
  // library uses its own.
  return std::puts("  patches are copied on this processor: left out"), void();
#endif
  const auto count = [](int depth, bool train) {
    const int64_t deferred = copies(depth, train);
    const deferred::EagerMode eager;
    EXPECT_EQ(copies(depth, train), deferred);
    return deferred;
  };
  // One copy where the image enters, one where a matrix product needs rows.
  EXPECT_EQ(count(5, false), 2);
  EXPECT_EQ(count(11, false), 2);
  // Two more in the backward pass: for the gradient of the rows, and the image for the gradient of the first filters.
  EXPECT_EQ(count(5, true), 4);
  EXPECT(count(11, true) <= 4);  // small operands are read in either order without a copy
}
