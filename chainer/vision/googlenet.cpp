// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/pooling.h"
#include "chainer/initializers/initializers.h"
#include "chainer/vision/vision.h"

namespace chainer::links {
namespace {
Convolution2D convolution(int64_t in, int64_t out, int64_t ksize, int64_t stride, const InitializerArg& W) {
  return Convolution2D(in, out, ksize, {.stride = stride, .pad = ksize / 2, .initialW = W});
}
}  // namespace

CHAINER_DEFINE_MEMBERS(GoogLeNet, conv1, conv2_reduce, conv2, inc3a, inc3b, inc4a, inc4b, inc4c, inc4d, inc4e, inc5a,
                       inc5b, loss3_fc, loss1_conv, loss1_fc1, loss1_fc2, loss2_conv, loss2_fc1, loss2_fc2)

GoogLeNet::GoogLeNet(const PretrainedModel& model)
    : VisionModel(model, "bvlc_googlenet.npz"),
      conv1(convolution(3, 64, 7, 2, first_weights(initializers::LeCunUniform()))),
      conv2_reduce(convolution(64, 64, 1, 1, first_weights(initializers::LeCunUniform()))),
      conv2(convolution(64, 192, 3, 1, first_weights(initializers::LeCunUniform()))),
      inc3a(192, 64, 96, 128, 16, 32, 32),
      inc3b(256, 128, 128, 192, 32, 96, 64),
      inc4a(480, 192, 96, 208, 16, 48, 64),
      inc4b(512, 160, 112, 224, 24, 64, 64),
      inc4c(512, 128, 128, 256, 24, 64, 64),
      inc4d(512, 112, 144, 288, 32, 64, 64),
      inc4e(528, 256, 160, 320, 32, 128, 128),
      inc5a(832, 256, 160, 320, 32, 128, 128),
      inc5b(832, 384, 192, 384, 48, 128, 128),
      loss3_fc(1024, 1000, {.initialW = first_weights(initializers::LeCunUniform())}),
      loss1_conv(convolution(512, 128, 1, 1, first_weights(initializers::LeCunUniform()))),
      loss1_fc1(2048, 1024, {.initialW = first_weights(initializers::LeCunUniform())}),
      loss1_fc2(1024, 1000, {.initialW = first_weights(initializers::LeCunUniform())}),
      loss2_conv(convolution(528, 128, 1, 1, first_weights(initializers::LeCunUniform()))),
      loss2_fc1(2048, 1024, {.initialW = first_weights(initializers::LeCunUniform())}),
      loss2_fc2(1024, 1000, {.initialW = first_weights(initializers::LeCunUniform())}) {
  load_weights();
}

std::string GoogLeNet::input_of(const std::string& name) const {
  return name == "loss1_fc2" ? "inception_4a" : name == "loss2_fc2" ? "inception_4d" : "";
}

std::vector<VisionModel::Stage> GoogLeNet::functions() {
  namespace F = chainer::functions;
  using Layer = std::function<Variable(const Variable&)>;
  const auto rectified = [](auto& link) { return Layer([&link](const Variable& x) { return F::relu(link(x)); }); };
  const auto plain = [](auto& link) { return Layer([&link](const Variable& x) { return link(x); }); };
  const Layer pool = [](const Variable& x) { return F::max_pooling_2d(x, 3, {.stride = 2}); };
  const Layer normalize = [](const Variable& x) {
    return F::local_response_normalization(x, {.n = 5, .k = 1, .alpha = 1e-4 / 5});
  };
  const auto average = [](int64_t ksize, int64_t stride) {
    return Layer([=](const Variable& x) { return F::average_pooling_2d(x, ksize, {.stride = stride}); });
  };
  const Layer dropout = [](const Variable& x) { return F::dropout(x, 0.4); };
  return {{"conv1", {rectified(conv1)}},
          {"pool1", {pool, normalize}},
          {"conv2_reduce", {rectified(conv2_reduce)}},
          {"conv2", {rectified(conv2), normalize}},
          {"pool2", {pool}},
          {"inception_3a", {plain(inc3a)}},
          {"inception_3b", {plain(inc3b)}},
          {"pool3", {pool}},
          {"inception_4a", {plain(inc4a)}},
          {"inception_4b", {plain(inc4b)}},
          {"inception_4c", {plain(inc4c)}},
          {"inception_4d", {plain(inc4d)}},
          {"inception_4e", {plain(inc4e)}},
          {"pool4", {pool}},
          {"inception_5a", {plain(inc5a)}},
          {"inception_5b", {plain(inc5b)}},
          {"pool5", {average(7, 1)}},
          {"loss3_fc", {dropout, plain(loss3_fc)}},
          {"prob", {[](const Variable& x) { return F::softmax(x); }}},
          {"loss1_fc2", {average(5, 3), rectified(loss1_conv), rectified(loss1_fc1), plain(loss1_fc2)}},
          {"loss2_fc2", {average(5, 3), rectified(loss2_conv), rectified(loss2_fc1), plain(loss2_fc2)}}};
}

}  // namespace chainer::links
