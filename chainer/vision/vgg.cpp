// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/pooling.h"
#include "chainer/initializers/initializers.h"
#include "chainer/vision/vision.h"

namespace chainer::links {
namespace {
Convolution2D convolution_3x3(int64_t in, int64_t out, const InitializerArg& W) {
  return Convolution2D(in, out, 3, {.pad = 1, .initialW = W});
}
const initializers::Normal kNormal(0.01);
std::string weights_name(int64_t n_layers) {
  if (n_layers != 16 && n_layers != 19) throw ValueError("VGGLayers: n_layers must be 16 or 19, not ", n_layers);
  return text("VGG_ILSVRC_", n_layers, "_layers.npz");
}
}  // namespace

CHAINER_DEFINE_MEMBERS(VGGLayers, conv1_1, conv1_2, conv2_1, conv2_2, conv3_1, conv3_2, conv3_3, conv4_1, conv4_2,
                       conv4_3, conv5_1, conv5_2, conv5_3, fc6, fc7, fc8, conv3_4, conv4_4, conv5_4)

VGGLayers::VGGLayers(const PretrainedModel& model, int64_t n_layers)
    : VisionModel(model, weights_name(n_layers)),
      conv1_1(convolution_3x3(3, 64, first_weights(kNormal))),
      conv1_2(convolution_3x3(64, 64, first_weights(kNormal))),
      conv2_1(convolution_3x3(64, 128, first_weights(kNormal))),
      conv2_2(convolution_3x3(128, 128, first_weights(kNormal))),
      conv3_1(convolution_3x3(128, 256, first_weights(kNormal))),
      conv3_2(convolution_3x3(256, 256, first_weights(kNormal))),
      conv3_3(convolution_3x3(256, 256, first_weights(kNormal))),
      conv4_1(convolution_3x3(256, 512, first_weights(kNormal))),
      conv4_2(convolution_3x3(512, 512, first_weights(kNormal))),
      conv4_3(convolution_3x3(512, 512, first_weights(kNormal))),
      conv5_1(convolution_3x3(512, 512, first_weights(kNormal))),
      conv5_2(convolution_3x3(512, 512, first_weights(kNormal))),
      conv5_3(convolution_3x3(512, 512, first_weights(kNormal))),
      fc6(512 * 7 * 7, 4096, {.initialW = first_weights(kNormal)}),
      fc7(4096, 4096, {.initialW = first_weights(kNormal)}),
      fc8(4096, 1000, {.initialW = first_weights(kNormal)}) {
  if (n_layers == 19) {
    conv3_4.emplace(convolution_3x3(256, 256, first_weights(kNormal)));
    conv4_4.emplace(convolution_3x3(512, 512, first_weights(kNormal)));
    conv5_4.emplace(convolution_3x3(512, 512, first_weights(kNormal)));
  }
  load_weights();
}

std::vector<VisionModel::Stage> VGGLayers::functions() {
  namespace F = chainer::functions;
  using Layer = std::function<Variable(const Variable&)>;
  const auto conv = [](Convolution2D& c) { return Layer([&c](const Variable& x) { return F::relu(c(x)); }); };
  const auto full = [](Linear& l) { return Layer([&l](const Variable& x) { return F::relu(l(x)); }); };
  const Layer pool = [](const Variable& x) { return F::max_pooling_2d(x, 2); };
  const Layer dropout = [](const Variable& x) { return F::dropout(x); };
  std::vector<Stage> s;
  s.push_back({"conv1_1", {conv(conv1_1)}});
  s.push_back({"conv1_2", {conv(conv1_2)}});
  s.push_back({"pool1", {pool}});
  s.push_back({"conv2_1", {conv(conv2_1)}});
  s.push_back({"conv2_2", {conv(conv2_2)}});
  s.push_back({"pool2", {pool}});
  s.push_back({"conv3_1", {conv(conv3_1)}});
  s.push_back({"conv3_2", {conv(conv3_2)}});
  s.push_back({"conv3_3", {conv(conv3_3)}});
  if (conv3_4) s.push_back({"conv3_4", {conv(*conv3_4)}});
  s.push_back({"pool3", {pool}});
  s.push_back({"conv4_1", {conv(conv4_1)}});
  s.push_back({"conv4_2", {conv(conv4_2)}});
  s.push_back({"conv4_3", {conv(conv4_3)}});
  if (conv4_4) s.push_back({"conv4_4", {conv(*conv4_4)}});
  s.push_back({"pool4", {pool}});
  s.push_back({"conv5_1", {conv(conv5_1)}});
  s.push_back({"conv5_2", {conv(conv5_2)}});
  s.push_back({"conv5_3", {conv(conv5_3)}});
  if (conv5_4) s.push_back({"conv5_4", {conv(*conv5_4)}});
  s.push_back({"pool5", {pool}});
  s.push_back({"fc6", {full(fc6), dropout}});
  s.push_back({"fc7", {full(fc7), dropout}});
  s.push_back({"fc8", {[this](const Variable& x) { return fc8(x); }}});
  s.push_back({"prob", {[](const Variable& x) { return F::softmax(x); }}});
  return s;
}

}  // namespace chainer::links
