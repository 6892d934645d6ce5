// SPDX-License-Identifier: MIT
// The right column of the tables in docs/guide/from_chainer.md, as a program.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "guide.h"

namespace from_chainer {
using namespace chainer;

struct MLP : Chain {
  L::Linear l1;
  Parameter scale{1, {{3}}};
  MLP() : l1(3) {}
  CHAINER_MEMBERS(MLP, l1, scale);
  Variable forward(const Variable& x) { return l1(x) * F::broadcast_to(scale, {x.shape(0), 3}); }
};

struct Twice : FunctionNode {
  Arrays forward(const Arrays& in) override { return {in[0] * 2}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] * 2}; }
};

void chainer_arguments() {
  EXPECT_EQ(F::relu(array({1.f, -2.f})).shape(), array({1.f, 2.f}).shape());
  EXPECT_EQ(zeros({2, 3}).size(), 6);
  (void)L::Linear(10);
  EXPECT(!L::Linear(std::nullopt, 10).W.is_initialized());
  EXPECT(!L::Linear(3, 2, {.nobias = true}).b);
  const Variable image = L::Convolution2D(3, 8, 3, {.stride = 2, .pad = 1})(zeros({1, 3, 8, 8}));
  EXPECT_EQ(image.shape(), Shape({1, 8, 4, 4}));
  const Variable x = array({{1.f, 2.f}, {3.f, 4.f}}), a = x, b = x;
  EXPECT_EQ(F::sum(x, 1, {.keepdims = true}).shape(), Shape({2, 1}));
  EXPECT_EQ(F::mean(x, {0, 1}).item<double>(), 2.5);
  EXPECT_EQ(F::concat({a, b}, 1).shape(), Shape({2, 4}));
  EXPECT_EQ(F::dropout(x, 0.3).shape(), x.shape());
  const Variable y = x, t = array({0, 1});
  EXPECT_EQ(F::softmax_cross_entropy(y, t, {.reduce = Reduction::no}).shape(), Shape({2}));
  EXPECT_EQ(optimizers::SGD({.lr = 0.1}).get("lr"), 0.1);
  EXPECT_EQ(optimizers::SGD(0.1).get("lr"), 0.1);
  const auto pool = [](const Variable& h) { return F::max_pooling_2d(h, 2); };
  EXPECT_EQ(pool(image).shape(), Shape({1, 8, 2, 2}));
}
TEST(from_chainer_arguments) { guide::run(chainer_arguments, "from_chainer_arguments", nullptr); }

void chainer_variables() {
  const Array given = array({{1.f, -2.f, 3.f}});
  {
    const Array a = given;
    Variable x(a);
    EXPECT(x.array().is(a));
    EXPECT(!x.grad());
    Variable y = x * 2;
    const Array g = ones({1, 3});
    y.set_grad(g);
    y.backward({.retain_grad = true});
    EXPECT_CLOSE(x.grad(), full({1, 3}, 2.f));
    const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
    EXPECT_CLOSE(gx.array(), x.grad());
    const Variable part = x[{0, Slice(1, 3)}], wider = x[{ellipsis, newaxis}];
    EXPECT_EQ(part.shape(), Shape({2}));
    EXPECT_EQ(wider.shape(), Shape({1, 3, 1}));
    EXPECT_EQ(F::square(x).shape(), x.shape());
    const Variable loss = F::sum(x);
    EXPECT_EQ(loss.item<float>(), 2);
    std::puts(repr(x).c_str());
  }
  Array a = given.copy();
  a.set(a < 0, 0);
  EXPECT_CLOSE(a, array({{1.f, 0.f, 3.f}}));
  EXPECT(a.astype(float32).is(a) || a.dtype() == float32);
  const Variable b = Variable(a).T();
  EXPECT_EQ(F::matmul(a, b).item<double>(), 10);
}
TEST(from_chainer_variables) { guide::run(chainer_variables, "from_chainer_variables", nullptr); }

void chainer_training() {
  random::seed(0);
  MLP model;
  const Variable x = zeros({2, 4});
  (void)model(x);
  std::string paths;
  for (const auto& [path, p] : model.namedparams()) paths += path + " ";
  EXPECT_EQ(paths, "/scale /l1/W /l1/b ");
  EXPECT(!model.copy(CopyMode::copy).l1.W.is(model.l1.W));
  EXPECT_THROW(Error, "copy", [&] { MLP other = model; }());
  EXPECT_EQ(Sequential(L::Linear(4), F::relu).size(), 2u);
  EXPECT_EQ(L::Linear(4, 4).repeat(3).size(), 3u);
  model.cleargrads();

  auto optimizer = optimizers::Adam().setup(model);
  EXPECT_EQ(optimizer.get("alpha"), 0.001);
  optimizer.set("alpha", 0.1);
  const Variable t = array({0, 1});
  const auto lossfun = [&](const Variable& in, const Variable& label) {
    return F::softmax_cross_entropy(model(in), label);
  };
  optimizer.update([&] { return lossfun(x, t); });
  EXPECT_EQ(optimizer.t, 1);

  iterators::SerialIterator it(datasets::TupleDataset(x.array(), t.array()), 2, {.repeat = false});
  while (const auto batch = it.try_next()) {
    auto [xs, ts] = concat_examples<2>(*batch);
    EXPECT_EQ(xs.shape(), Shape({2, 4}));
  }
  iterators::SerialIterator train_iter(datasets::TupleDataset(x.array(), t.array()), 2);
  L::Classifier classifier(model);
  auto sgd = optimizers::SGD().setup(classifier);
  training::StandardUpdater updater(train_iter, sgd);
  Trainer trainer(updater, {1, "epoch"});
  const auto e = extensions::LogReport();
  trainer.extend(e, {.trigger = {10, "epoch"}});
  trainer.extend(extensions::LogReport());
  {
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    EXPECT(!config().train && !config().enable_backprop);
  }
  Reporter reporter;
  reporter.add_observer("main", &model);
  const auto current = reporter.make_current();
  const Variable loss = lossfun(x, t);
  report({{"loss", loss}}, &model);
  EXPECT(reporter.observation().count("main/loss"));
  serializers::save_npz("m.npz", model);
  EXPECT_EQ(apply(Twice(), {x})[0].shape(), x.shape());
  {
    const UsingConfig restored(&Config::dtype, float32);
    config().dtype = float16;
    EXPECT(L::Linear(2, 2).W.dtype() == float16);
  }
  EXPECT(get_device("@cpu") == Device());
}
TEST(from_chainer_training) { guide::run(chainer_training, "from_chainer_training", nullptr); }

}  // namespace from_chainer
