// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/pooling.h"
#include "chainer/initializers/initializers.h"
#include "chainer/vision/vision.h"

namespace chainer::links {
namespace {
Convolution2D unbiased_convolution(int64_t in, int64_t out, int64_t ksize, int64_t stride, const InitializerArg& W) {
  return Convolution2D(in, out, ksize, {.stride = stride, .pad = ksize / 2, .nobias = true, .initialW = W});
}
std::array<int64_t, 4> block_sizes(int64_t n_layers) {
  if (n_layers == 50) return {3, 4, 6, 3};
  if (n_layers == 101) return {3, 4, 23, 3};
  if (n_layers == 152) return {3, 8, 36, 3};
  throw ValueError("ResNetLayers: n_layers must be 50, 101 or 152, not ", n_layers);
}
BuildingBlock block(int64_t n_layers, int stage, const InitializerArg& W, bool downsample_fb) {
  const int64_t mid = 64 << stage;
  return BuildingBlock(block_sizes(n_layers)[static_cast<std::size_t>(stage)], stage ? 2 * mid : mid, mid, 4 * mid,
                       stage ? 2 : 1, W, downsample_fb);
}
}  // namespace

CHAINER_DEFINE_MEMBERS(BottleneckA, conv1, bn1, conv2, bn2, conv3, bn3, conv4, bn4)

BottleneckA::BottleneckA(int64_t in, int64_t mid, int64_t out, int64_t stride, const InitializerArg& W, bool fb)
    : conv1(unbiased_convolution(in, mid, 1, fb ? 1 : stride, W)),
      bn1(mid),
      conv2(unbiased_convolution(mid, mid, 3, fb ? stride : 1, W)),
      bn2(mid),
      conv3(unbiased_convolution(mid, out, 1, 1, W)),
      bn3(out),
      conv4(unbiased_convolution(in, out, 1, stride, W)),
      bn4(out) {}
Variable BottleneckA::forward(const Variable& x) {
  using functions::relu;
  const Variable h = bn3(conv3(relu(bn2(conv2(relu(bn1(conv1(x))))))));
  return relu(h + bn4(conv4(x)));
}

CHAINER_DEFINE_MEMBERS(BottleneckB, conv1, bn1, conv2, bn2, conv3, bn3)

BottleneckB::BottleneckB(int64_t in, int64_t mid, const InitializerArg& W)
    : conv1(unbiased_convolution(in, mid, 1, 1, W)),
      bn1(mid),
      conv2(unbiased_convolution(mid, mid, 3, 1, W)),
      bn2(mid),
      conv3(unbiased_convolution(mid, in, 1, 1, W)),
      bn3(in) {}
Variable BottleneckB::forward(const Variable& x) {
  using functions::relu;
  return relu(bn3(conv3(relu(bn2(conv2(relu(bn1(conv1(x)))))))) + x);
}

CHAINER_DEFINE_MEMBERS(BuildingBlock, a)

BuildingBlock::BuildingBlock(int64_t n_layer, int64_t in, int64_t mid, int64_t out, int64_t stride,
                             const InitializerArg& W, bool downsample_fb)
    : a(in, mid, out, stride, W, downsample_fb) {
  for (int64_t i = 1; i < n_layer; ++i) add_link(text("b", i), BottleneckB(out, mid, W));
}
Variable BuildingBlock::forward(const Variable& x) {
  Variable h = x;
  for (Link* child : children()) h = child->call(Variables{h})[0];
  return h;
}

CHAINER_DEFINE_MEMBERS(ResNetLayers, conv1, bn1, res2, res3, res4, res5, fc6)

ResNetLayers::ResNetLayers(const PretrainedModel& model, int64_t n_layers, bool downsample_fb)
    : VisionModel(model, text("ResNet-", n_layers, "-model.npz")),
      conv1(3, 64, 7, {.stride = 2, .pad = 3, .initialW = first_weights(initializers::HeNormal())}),
      bn1(64),
      res2(block(n_layers, 0, first_weights(initializers::HeNormal()), downsample_fb)),
      res3(block(n_layers, 1, first_weights(initializers::HeNormal()), downsample_fb)),
      res4(block(n_layers, 2, first_weights(initializers::HeNormal()), downsample_fb)),
      res5(block(n_layers, 3, first_weights(initializers::HeNormal()), downsample_fb)),
      fc6(2048, 1000) {
  load_weights();
}

std::vector<VisionModel::Stage> ResNetLayers::functions() {
  namespace F = chainer::functions;
  const auto plain = [](auto& link) {
    return std::function<Variable(const Variable&)>([&link](const Variable& x) { return link(x); });
  };
  return {
      {"conv1", {[this](const Variable& x) { return F::relu(bn1(conv1(x))); }}},
      {"pool1", {[](const Variable& x) { return F::max_pooling_2d(x, 3, {.stride = 2}); }}},
      {"res2", {plain(res2)}},
      {"res3", {plain(res3)}},
      {"res4", {plain(res4)}},
      {"res5", {plain(res5)}},
      {"pool5", {[](const Variable& x) {
         return F::reshape(F::average_pooling_2d(x, {x.shape(2), x.shape(3)}, {.stride = 1}), {x.shape(0), x.shape(1)});
       }}},
      {"fc6", {plain(fc6)}},
      {"prob", {[](const Variable& x) { return F::softmax(x); }}}};
}

}  // namespace chainer::links
