// SPDX-License-Identifier: MIT
// DCGAN on 32 x 32, batch 50: one update of the generator and one of the discriminator, Adam.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct Generator : Chain {
  L::Linear l0{100, 4 * 4 * 512};
  L::BatchNormalization bn0{4 * 4 * 512, {.eps = 1e-5}};
  L::Deconvolution2D dc1{512, 256, 4, {.stride = 2, .pad = 1}}, dc2{256, 128, 4, {.stride = 2, .pad = 1}},
      dc3{128, 64, 4, {.stride = 2, .pad = 1}}, dc4{64, 3, 3, {.stride = 1, .pad = 1}};
  L::BatchNormalization bn1{256, {.eps = 1e-5}}, bn2{128, {.eps = 1e-5}}, bn3{64, {.eps = 1e-5}};
  CHAINER_MEMBERS(Generator, l0, bn0, dc1, dc2, dc3, dc4, bn1, bn2, bn3);
  Variable forward(const Variable& z) {
    Variable h = F::relu(bn0(l0(z))).reshape({-1, 512, 4, 4});
    h = F::relu(bn1(dc1(h)));
    h = F::relu(bn2(dc2(h)));
    h = F::relu(bn3(dc3(h)));
    return F::sigmoid(dc4(h));
  }
};

struct Discriminator : Chain {
  struct Layer {
    int64_t in, out, ksize, stride;
  };
  static constexpr Layer kLayers[] = {{3, 64, 3, 1},    {64, 128, 4, 2},  {128, 128, 3, 1}, {128, 256, 4, 2},
                                      {256, 256, 3, 1}, {256, 512, 4, 2}, {512, 512, 3, 1}};
  std::vector<L::Convolution2D> convs;
  std::vector<L::BatchNormalization> bns;  // after all layers but the first
  L::Linear out{4 * 4 * 512, 1};
  Discriminator() {
    for (const Layer& l : kLayers) {
      convs.emplace_back(l.in, l.out, l.ksize, L::ConvolutionOptions{.stride = l.stride, .pad = 1});
      if (convs.size() > 1) bns.emplace_back(l.out, L::BatchNormalizationOptions{.eps = 1e-5});
    }
  }
  CHAINER_MEMBERS(Discriminator, convs, bns, out);
  Variable forward(const Variable& x) {
    Variable h = F::leaky_relu(convs[0](x), {.slope = 0.2});
    for (std::size_t i = 1; i < convs.size(); ++i) h = F::leaky_relu(bns[i - 1](convs[i](h)), {.slope = 0.2});
    return out(h);
  }
};

struct GAN : Chain {
  Generator gen;
  Discriminator dis;
  CHAINER_MEMBERS(GAN, gen, dis);
};

Step dcgan() {
  auto model = std::make_shared<GAN>();
  model->to_device(device);
  auto make_optimizer = [](Link& link) {
    auto o = std::make_shared<optimizers::Adam>(optimizers::AdamOptions{.alpha = 2e-4, .beta1 = 0.5});
    o->setup(link);
    return o;
  };
  auto opt_gen = make_optimizer(model->gen), opt_dis = make_optimizer(model->dis);
  const Array x = uniform({50, 3, 32, 32});
  auto z = std::make_shared<Array>();
  Step s;
  s.run = [=] {
    *z = uniform({50, 100});
    const Variable fake = model->gen(*z), y_fake = model->dis(fake), y_real = model->dis(x);
    const Variable loss_gen = F::mean(F::softplus(-y_fake));
    model->gen.cleargrads();
    loss_gen.backward();
    const Variable again = model->dis(fake.array());
    const Variable loss_dis = F::mean(F::softplus(-y_real)) + F::mean(F::softplus(again));
    model->dis.cleargrads();
    loss_dis.backward();
    opt_gen->update();
    opt_dis->update();
    return loss_dis;
  };
  s.inputs = {{"x", x}};
  for (auto& [path, p] : model->namedparams()) s.parameters[path] = p.variable();
  s.trained = model->params();
  s.drawn = [=](std::map<std::string, Array>& to) { to["z"] = *z; };
  return s;
}

}  // namespace bench
