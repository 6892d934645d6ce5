// SPDX-License-Identifier: MIT
// Loads network weights as published for Caffe.
#include "chainer/links/caffe/caffe_function.h"
#include "chainer/serializers/serializers.h"
#include "chainer/vision/vision.h"

namespace chainer::links {
namespace {

using caffe::CaffeFunction;

template <class T>
T& layer(const CaffeFunction& source, const std::string& name) {
  auto* const link = dynamic_cast<T*>(&source[name]);
  if (!link) throw TypeError("the Caffe model's layer '", name, "' has another type");
  return *link;
}

void take(const std::string& name, const chainer::Parameter& from, chainer::Parameter& to) {
  if (from.size() != to.size())
    throw ValueError("the Caffe model's layer '", name, "' has shape ", from.shape(), ", expected ", to.shape());
  to.set_array(from.array().reshape(to.shape()).astype(to.dtype(), false));
}
template <class T>
void take(const CaffeFunction& source, const std::string& name, T& to) {
  const T& from = layer<T>(source, name);
  take(name, from.W, to.W);
  if (from.b && to.b) take(name, *from.b, *to.b);
}

// Caffe's normalization layer and the scale layer after it are one link here.
void take(const CaffeFunction& source, const std::string& name, BatchNormalization& to) {
  const std::string bn_name = "bn" + name, scale_name = "scale" + name;
  const auto& bn = layer<BatchNormalization>(source, bn_name);
  const auto& scale = layer<Scale>(source, scale_name);
  if (bn.avg_mean.size() != to.avg_mean.size())
    throw ValueError("the Caffe model's layer '", bn_name, "' has ", bn.avg_mean.size(), " channels, expected ",
                     to.avg_mean.size());
  to.avg_mean = bn.avg_mean.copy();
  to.avg_var = bn.avg_var.copy();
  if (!scale.W || !scale.bias || !scale.bias->b)
    throw ValueError("the Caffe model's layer '", scale_name, "' has no weights");
  take(scale_name, *scale.W, *to.gamma);
  take(scale_name, *scale.bias->b, *to.beta);
}

void take(const CaffeFunction& source, const std::string& name, Inception& to) {
  const std::string prefix = "inception_" + name + "/";
  take(source, prefix + "1x1", to.conv1);
  take(source, prefix + "3x3_reduce", to.proj3);
  take(source, prefix + "3x3", to.conv3);
  take(source, prefix + "5x5_reduce", to.proj5);
  take(source, prefix + "5x5", to.conv5);
  take(source, prefix + "pool_proj", to.projp);
}

// A block of a residual network: branches 2a to 2c and, for BottleneckA, 1.
template <class Block>
void take_bottleneck(const CaffeFunction& source, const std::string& name, Block& to) {
  const auto branch = [&](const std::string& which, Convolution2D& conv, BatchNormalization& bn) {
    take(source, "res" + name + "_branch" + which, conv);
    take(source, name + "_branch" + which, bn);
  };
  branch("2a", to.conv1, to.bn1);
  branch("2b", to.conv2, to.bn2);
  branch("2c", to.conv3, to.bn3);
  if constexpr (std::is_same_v<Block, BottleneckA>) branch("1", to.conv4, to.bn4);
}
// Blocks are named 2a, 2b, 2c, ... or, if `numbered`, 3a, 3b1, 3b2, ...
void take(const CaffeFunction& source, const std::string& stage, bool numbered, BuildingBlock& to) {
  take_bottleneck(source, stage + "a", to.a);
  const auto count = static_cast<int>(to.children().size());
  for (int i = 1; i < count; ++i) {
    const std::string name = numbered ? text(stage, "b", i) : stage + static_cast<char>('a' + i);
    take_bottleneck(source, name, dynamic_cast<BottleneckB&>(to[text("b", i)]));
  }
}

}  // namespace

void VGGLayers::take_caffe_weights(const CaffeFunction& source) {
  for (Link* child : children()) {
    if (auto* conv = dynamic_cast<Convolution2D*>(child)) take(source, child->name(), *conv);
    if (auto* full = dynamic_cast<Linear*>(child)) take(source, child->name(), *full);
  }
}

void GoogLeNet::take_caffe_weights(const CaffeFunction& source) {
  take(source, "conv1/7x7_s2", conv1);
  take(source, "conv2/3x3_reduce", conv2_reduce);
  take(source, "conv2/3x3", conv2);
  for (const auto& [name, block] : {std::pair<const char*, Inception*>{"3a", &inc3a},
                                    {"3b", &inc3b},
                                    {"4a", &inc4a},
                                    {"4b", &inc4b},
                                    {"4c", &inc4c},
                                    {"4d", &inc4d},
                                    {"4e", &inc4e},
                                    {"5a", &inc5a},
                                    {"5b", &inc5b}})
    take(source, name, *block);
  take(source, "loss1/conv", loss1_conv);
  take(source, "loss1/fc", loss1_fc1);
  take(source, "loss1/classifier", loss1_fc2);
  take(source, "loss2/conv", loss2_conv);
  take(source, "loss2/fc", loss2_fc1);
  take(source, "loss2/classifier", loss2_fc2);
  take(source, "loss3/classifier", loss3_fc);
}

void ResNetLayers::take_caffe_weights(const CaffeFunction& source) {
  take(source, "conv1", conv1);
  take(source, "_conv1", bn1);
  const bool deep = res4.children().size() > 6;  // ResNet-101 or ResNet-152
  take(source, "2", false, res2);
  take(source, "3", deep, res3);
  take(source, "4", deep, res4);
  take(source, "5", false, res5);
  take(source, "fc1000", fc6);
}

void VGGLayers::convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz, int64_t n) {
  VGGLayers model(std::nullopt, n);
  model.take_caffe_weights(CaffeFunction(path_caffemodel));
  serializers::save_npz(path_npz, static_cast<Link&>(model), false);
}
void GoogLeNet::convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz) {
  GoogLeNet model(std::nullopt);
  model.take_caffe_weights(CaffeFunction(path_caffemodel));
  serializers::save_npz(path_npz, static_cast<Link&>(model), false);
}
void ResNetLayers::convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz,
                                             int64_t n) {
  ResNetLayers model(std::nullopt, n);
  model.take_caffe_weights(CaffeFunction(path_caffemodel));
  serializers::save_npz(path_npz, static_cast<Link&>(model), false);
}

}  // namespace chainer::links
