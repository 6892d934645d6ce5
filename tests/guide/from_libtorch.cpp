// SPDX-License-Identifier: MIT
// The right column of the tables in docs/guide/from_libtorch.md, as a program.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "guide.h"

namespace from_libtorch {
using namespace chainer;

struct Net : Chain {
  L::Linear l1;
  Parameter gain{ones({4})};
  Array mean = zeros({4});
  Net() : l1(2, 4) {}
  CHAINER_MEMBERS(Net, l1, gain, mean);
  Variable forward(const Variable& x) { return l1(x) * F::broadcast_to(gain, {x.shape(0), 4}); }
};

struct Twice : FunctionNode {
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {in[0] * 2};
  }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] * 2}; }
};

struct Squares : Dataset {
  int64_t size() const override { return 8; }
  Example get(int64_t i) const override {
    const auto v = static_cast<float>(i);
    return {array({v, v * v}), array(static_cast<int32_t>(i % 4))};
  }
};

void libtorch_tensors() {
  const float values[] = {1, 2};
  const float* const p = values;
  EXPECT_CLOSE(from_data(p, {2}), array({1.f, 2.f}));
  EXPECT_EQ(zeros({2, 3}).size(), arange(6).size());
  Array a = array({{0.f, 1.f, 2.f}, {3.f, 4.f, 5.f}});
  EXPECT_EQ(a.shape(), Shape({2, 3}));
  EXPECT_EQ(a.shape(0), 2);
  EXPECT(a.dtype() == float32);
  EXPECT_EQ(a.data<float>()[1], 1);
  EXPECT_CLOSE(a[{0, Slice(1, 3)}], array({1.f, 2.f}));
  a.set(a < 1, 0);
  EXPECT_EQ(a.reshape({3, 2}).shape(), a.transpose({1, 0}).shape());
  EXPECT(a.astype(float64).dtype() == float64);
  Variable x(a);
  EXPECT(x.array().is(a));
  EXPECT_EQ(F::sum(x).item<float>(), 15);
  EXPECT_EQ(F::concat({x, x}, 1).shape(), Shape({2, 6}));
  EXPECT_EQ(F::sum(x, 1).shape(), Shape({2}));
  EXPECT_EQ(F::mean(x).item<double>(), 2.5);
  EXPECT_EQ(F::square(x).shape(), x.shape());
  EXPECT_EQ(F::matmul(x, x, {.transb = true}).shape(), Shape({2, 2}));
  const Variable loss = F::sum(x * x);
  loss.backward();
  if (x.grad()) EXPECT_CLOSE(x.grad(), (2 * a));
  EXPECT_CLOSE(grad({loss}, {x}, {.enable_double_backprop = true})[0].array(), x.grad());
  EXPECT_CLOSE(apply(Twice(), {x})[0].array(), 2 * a);
}
TEST(from_libtorch_tensors) { guide::run(libtorch_tensors, "from_libtorch_tensors", nullptr); }

void libtorch_modules() {
  random::seed(0);
  EXPECT_EQ(L::Linear(3, 4).W.shape(), Shape({4, 3}));
  EXPECT_EQ(L::Convolution2D(3, 8, 3, {.stride = 2}).W.shape(), Shape({8, 3, 3, 3}));
  EXPECT_EQ(L::BatchNormalization(8, {.eps = 1e-5}).eps, 1e-5);
  EXPECT_EQ(L::LayerNormalization(8, {.eps = 1e-5}).gamma.shape(), Shape({8}));
  EXPECT_EQ(L::GroupNormalization(2, 8).gamma.shape(), Shape({8}));
  EXPECT_EQ(optimizers::AdaGrad().get("eps"), 1e-8);
  Net net;
  EXPECT_EQ(net.params().size(), net.namedparams().size());
  net.to_device(get_device("@cpu"));
  EXPECT(!net.copy(CopyMode::copy).gain.is(net.gain));
  auto optimizer = optimizers::SGD({.lr = 0.1}).setup(net);
  optimizer.add_hook(optimizer_hooks::GradientClipping(1));
  optimizer.add_hook(optimizer_hooks::WeightDecay(1e-4));
  iterators::SerialIterator iterator(Squares(), 4);
  auto [xs, ts] = concat_examples<2>(iterator.next());
  const Variable x = xs, y = net(F::relu(x)), t = ts;
  EXPECT_EQ(F::dropout(x, 0.5).shape(), x.shape());
  const Variable loss = F::softmax_cross_entropy(y, t);
  net.cleargrads();
  loss.backward();
  optimizer.update();
  EXPECT_EQ(optimizer.t, 1);
  {
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    EXPECT(!net(x).creator());
  }
  serializers::save_npz("net.npz", net);
  serializers::load_npz("net.npz", net);
}
TEST(from_libtorch_modules) { guide::run(libtorch_modules, "from_libtorch_modules", nullptr); }

}  // namespace from_libtorch
