// SPDX-License-Identifier: MIT
// ResNet-50 on 224 x 224: training with batch 8 and MomentumSGD, inference with batch 1.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct Bottleneck : Chain {
  L::Convolution2D conv1, conv2, conv3;
  L::BatchNormalization bn1, bn2, bn3;
  std::optional<L::Convolution2D> conv4;
  std::optional<L::BatchNormalization> bn4;
  Bottleneck(int64_t in, int64_t mid, int64_t out, int64_t stride, bool project)
      : conv1(in, mid, 1, {.stride = stride, .nobias = true}),
        conv2(mid, mid, 3, {.pad = 1, .nobias = true}),
        conv3(mid, out, 1, {.nobias = true}),
        bn1(mid, {.eps = 1e-5}),
        bn2(mid, {.eps = 1e-5}),
        bn3(out, {.eps = 1e-5}) {
    if (!project) return;
    conv4.emplace(in, out, 1, L::ConvolutionOptions{.stride = stride, .nobias = true});
    bn4.emplace(out, L::BatchNormalizationOptions{.eps = 1e-5});
  }
  CHAINER_MEMBERS(Bottleneck, conv1, conv2, conv3, bn1, bn2, bn3, conv4, bn4);
  Variable forward(const Variable& x) {
    const Variable h = bn3(conv3(F::relu(bn2(conv2(F::relu(bn1(conv1(x))))))));
    return F::relu(h + (conv4 ? (*bn4)((*conv4)(x)) : x));
  }
};

struct ResNet50 : Chain {
  L::Convolution2D conv1{3, 64, 7, {.stride = 2, .pad = 3, .nobias = true}};
  L::BatchNormalization bn1{64, {.eps = 1e-5}};
  std::vector<Bottleneck> blocks;
  L::Linear fc{2048, 1000};
  ResNet50() {
    const int64_t counts[] = {3, 4, 6, 3};
    int64_t in = 64;
    for (int stage = 0; stage < 4; ++stage) {
      const int64_t mid = 64 << stage, out = 4 * mid;
      for (int64_t k = 0; k < counts[stage]; ++k, in = out) blocks.emplace_back(in, mid, out, k || !stage ? 1 : 2, !k);
    }
  }
  CHAINER_MEMBERS(ResNet50, conv1, bn1, blocks, fc);
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(bn1(conv1(x))), 3, {.stride = 2, .cover_all = false});
    for (Bottleneck& b : blocks) h = b(h);
    return fc(F::average_pooling_2d(h, 7).reshape({-1, 2048}));
  }
};

Step resnet50_train() {
  auto model = std::make_shared<ResNet50>();
  const Array x = uniform({8, 3, 224, 224}), t = labels(1000, {8});
  const auto loss = maybe_static(
      [=](const Variable& x, const Variable& t) { return F::softmax_cross_entropy(model->forward(x), t); }, *model);
  Step s = training(
      model, [=] { return loss(x, t); },
      std::make_shared<optimizers::MomentumSGD>(optimizers::MomentumOptions{.lr = 0.01, .momentum = 0.9}));
  s.inputs = {{"x", x}, {"t", t}};
  return s;
}

Step resnet50_infer() {
  auto model = std::make_shared<ResNet50>();
  model->to_device(device);
  const Array x = uniform({1, 3, 224, 224});
  const auto forward = maybe_static([=](const Variable& x) { return F::sum(model->forward(x)); }, *model);
  Step s;
  s.run = [=] {
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    return forward(x);
  };
  s.inputs = {{"x", x}};
  for (auto& [path, p] : model->namedparams()) {
    s.parameters[path] = p.variable();
    p.cleargrad();
  }
  return s;
}

}  // namespace bench
