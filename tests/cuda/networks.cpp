// SPDX-License-Identifier: MIT
#include "networks.h"

#include <memory>

using namespace chainer;

namespace {

Array normal(const Shape& s, uint32_t seed) { return random::RandomState(seed).randn(s).astype(float32); }
Array drawn_labels(int64_t classes, const Shape& s) { return random::RandomState(9).randint(0, classes, s); }

// The first call, on the host, initializes shapes.
template <class Model, class Optimizer>
TrainingStep classifier(std::shared_ptr<Model> model, const Array& x, const Array& t,
                        std::shared_ptr<Optimizer> optimizer, const Device& device) {
  auto full = std::make_shared<L::Classifier>(model);
  {
    const NoBackpropMode no_graph;
    (void)(*full)(Variable(x), Variable(t));
  }
  full->to_device(device);
  optimizer->setup(*full);
  random::seed(5);
  return [=] {
    const Variable loss = (*full)(Variable(x.to_device(device)), Variable(t.to_device(device)));
    full->cleargrads();
    loss.backward();
    optimizer->update();
    return loss;
  };
}

struct Mlp : Chain {
  L::Linear l1{12, 20}, l2{20, 20}, l3{20, 5};
  CHAINER_MEMBERS(Mlp, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::dropout(F::relu(l2(F::dropout(F::relu(l1(x)), 0.2))), 0.2)); }
};
TrainingStep mlp(const Device& device) {
  random::seed(3);
  return classifier(std::make_shared<Mlp>(), normal({30, 12}, 1), drawn_labels(5, {30}),
                    std::make_shared<optimizers::Adam>(), device);
}

struct Convolutions : Chain {
  L::Convolution2D c1{3, 4, 3, {.pad = 1}}, c2{4, 6, 3, {.pad = 1}};
  L::BatchNormalization b1{4}, b2{6};
  L::Linear out{6 * 2 * 2, 5};
  CHAINER_MEMBERS(Convolutions, c1, c2, b1, b2, out);
  Variable forward(const Variable& x) {
    const Variable h = F::max_pooling_2d(F::relu(b1(c1(x))), 2);
    return out(F::average_pooling_2d(F::relu(b2(c2(h))), 2));
  }
};
TrainingStep convolutions(const Device& device) {
  random::seed(3);
  return classifier(std::make_shared<Convolutions>(), normal({6, 3, 8, 8}, 1), drawn_labels(5, {6}),
                    std::make_shared<optimizers::Adam>(), device);
}

struct Residual : Chain {
  struct Block : Chain {
    L::Convolution2D a{4, 4, 3, {.pad = 1, .nobias = true}}, b{4, 4, 3, {.pad = 1, .nobias = true}};
    L::BatchNormalization an{4}, bn{4};
    CHAINER_MEMBERS(Block, a, b, an, bn);
    Variable forward(const Variable& x) { return F::relu(x + bn(b(F::relu(an(a(x)))))); }
  };
  L::Convolution2D first{3, 4, 3, {.stride = 2, .pad = 1, .nobias = true}};
  L::BatchNormalization first_n{4};
  Block b1, b2;
  L::Linear out{4, 5};
  CHAINER_MEMBERS(Residual, first, first_n, b1, b2, out);
  Variable forward(const Variable& x) {
    const Variable h = b2(b1(F::relu(first_n(first(x)))));
    return out(F::average_pooling_2d(h, h.shape()[2]));
  }
};
TrainingStep residual(const Device& device) {
  random::seed(3);
  auto optimizer = std::make_shared<optimizers::MomentumSGD>(optimizers::MomentumOptions{.lr = 0.1});
  return classifier(std::make_shared<Residual>(), normal({4, 3, 8, 8}, 1), drawn_labels(5, {4}), optimizer, device);
}

struct LanguageModel : Chain {
  L::EmbedID embed{30, 8};
  L::LSTM l1{8, 8};
  L::Linear out{8, 30};
  CHAINER_MEMBERS(LanguageModel, embed, l1, out);
};
TrainingStep language_model(const Device& device) {
  random::seed(3);
  auto model = std::make_shared<LanguageModel>();
  model->to_device(device);
  auto optimizer = std::make_shared<optimizers::SGD>(optimizers::SGDOptions{.lr = 1.0});
  optimizer->setup(*model);
  optimizer->add_hook(std::make_shared<optimizer_hooks::GradientClipping>(0.5));
  const Array words = drawn_labels(30, {6, 4});
  random::seed(5);
  return [=] {
    const Array batch = words.to_device(device);
    model->l1.reset_state();
    Variable loss;
    for (int64_t k = 0; k < 5; ++k) {
      const Variable h = F::dropout(model->l1(F::dropout(model->embed(batch[k]), 0.2)), 0.2);
      const Variable step = F::softmax_cross_entropy(model->out(h), batch[k + 1]);
      loss = loss ? loss + step : step;
    }
    model->cleargrads();
    loss.backward();
    loss.unchain_backward();
    optimizer->update();
    return loss;
  };
}

struct Adversaries : Chain {
  struct Generator : Chain {
    L::Linear l0{6, 8 * 2 * 2};
    L::BatchNormalization bn0{8 * 2 * 2}, bn1{4};
    L::Deconvolution2D dc1{8, 4, 4, {.stride = 2, .pad = 1}}, dc2{4, 3, 4, {.stride = 2, .pad = 1}};
    CHAINER_MEMBERS(Generator, l0, bn0, bn1, dc1, dc2);
    Variable forward(const Variable& z) {
      const Variable h = F::reshape(F::relu(bn0(l0(z))), {-1, 8, 2, 2});
      return F::sigmoid(dc2(F::relu(bn1(dc1(h)))));
    }
  } gen;
  struct Discriminator : Chain {
    L::Convolution2D c0{3, 4, 4, {.stride = 2, .pad = 1}}, c1{4, 8, 4, {.stride = 2, .pad = 1}};
    L::BatchNormalization bn1{8};
    L::Linear out{8 * 2 * 2, 1};
    CHAINER_MEMBERS(Discriminator, c0, c1, bn1, out);
    Variable forward(const Variable& x) {
      return out(F::leaky_relu(bn1(c1(F::leaky_relu(c0(x), {.slope = 0.2}))), {.slope = 0.2}));
    }
  } dis;
  CHAINER_MEMBERS(Adversaries, gen, dis);
};
TrainingStep dcgan(const Device& device) {
  random::seed(3);
  auto model = std::make_shared<Adversaries>();
  model->to_device(device);
  const auto optimizer_of = [](Link& link) {
    auto o = std::make_shared<optimizers::Adam>(optimizers::AdamOptions{.alpha = 2e-4, .beta1 = 0.5});
    o->setup(link);
    return o;
  };
  auto opt_gen = optimizer_of(model->gen), opt_dis = optimizer_of(model->dis);
  const Array x = normal({4, 3, 8, 8}, 1), z = normal({4, 6}, 2);
  return [=] {
    const Variable fake = model->gen(Variable(z.to_device(device))), y_fake = model->dis(fake),
                   y_real = model->dis(Variable(x.to_device(device)));
    const Variable loss_gen = F::mean(F::softplus(-y_fake));
    model->gen.cleargrads();
    loss_gen.backward();
    const Variable again = model->dis(Variable(fake.array()));
    const Variable loss_dis = F::mean(F::softplus(-y_real)) + F::mean(F::softplus(again));
    model->dis.cleargrads();
    loss_dis.backward();
    opt_gen->update();
    opt_dis->update();
    return loss_dis;
  };
}

}  // namespace

const std::vector<Network>& networks() {
  static const std::vector<Network> all{
      {"MLP", mlp}, {"convolutions", convolutions}, {"LSTM", language_model}, {"DCGAN", dcgan}, {"residual", residual}};
  return all;
}
