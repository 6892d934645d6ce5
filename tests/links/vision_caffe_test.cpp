// SPDX-License-Identifier: MIT
// Weights published for Caffe, under Caffe's layer names.
#include <chainer/chainer.h>

#include <filesystem>

#include "chainer/core/system/file.h"
#include "chainer/links/caffe/net.h"
#include "caffe_layers.h"
#include "folder.h"
#include "test.h"

namespace fs = std::filesystem;

namespace {

using test::folder;

// Distinct small weights; drawing random ones would be slow.
int64_t counter = 0;
Array values(const Shape& shape) { return full(shape, static_cast<float>(++counter)); }

CaffeLayer& add(Net& net, const std::string& type, const std::string& name, std::vector<Array> blobs) {
  CaffeLayer l;
  l.type = type, l.name = name, l.bottoms = {"data"}, l.tops = {name}, l.blobs = std::move(blobs);
  l.num_output = l.blobs[0].shape(0), l.bias_term = l.blobs.size() > 1;
  net.layers.push_back(std::move(l));
  return net.layers.back();
}
template <class T>
void add(Net& net, const std::string& type, const std::string& name, const T& link) {
  std::vector<Array> blobs = {values(link.W.shape())};
  if (link.b) blobs.push_back(values(link.b->shape()));
  add(net, type, name, std::move(blobs));
}
void add_normalized(Net& net, const std::string& conv, const std::string& name, const L::Convolution2D& link) {
  const int64_t n = link.W.shape()[0];
  add(net, "Convolution", conv, link);
  add(net, "BatchNorm", "bn" + name, {values({n}), values({n}), ones({1})});
  add(net, "Scale", "scale" + name, {values({n}), values({n})});
}
float blob(const Net& net, const std::string& name, std::size_t i) {
  for (const CaffeLayer& l : net.layers)
    if (l.name == name) return l.blobs[i].ravel()[0].item<float>();
  throw KeyError("no layer ", name);
}
float first(const Array& a) { return a.ravel()[0].item<float>(); }

}  // namespace

TEST(googlenet_takes_the_published_weights_and_keeps_them_as_npz) {
  if (!with_protobuf()) return;
  L::GoogLeNet model(std::nullopt);
  Net net;
  add(net, "Convolution", "conv1/7x7_s2", model.conv1);
  add(net, "Convolution", "conv2/3x3_reduce", model.conv2_reduce);
  add(net, "Convolution", "conv2/3x3", model.conv2);
  for (const std::string name : {"3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"}) {
    const auto& block = dynamic_cast<L::Inception&>(model["inc" + name]);
    const std::string prefix = "inception_" + name + "/";
    add(net, "Convolution", prefix + "1x1", block.conv1);
    add(net, "Convolution", prefix + "3x3_reduce", block.proj3);
    add(net, "Convolution", prefix + "3x3", block.conv3);
    add(net, "Convolution", prefix + "5x5_reduce", block.proj5);
    add(net, "Convolution", prefix + "5x5", block.conv5);
    add(net, "Convolution", prefix + "pool_proj", block.projp);
  }
  for (const std::string side : {"loss1", "loss2"}) {
    add(net, "Convolution", side + "/conv", dynamic_cast<L::Convolution2D&>(model[side + "_conv"]));
    add(net, "InnerProduct", side + "/fc", dynamic_cast<L::Linear&>(model[side + "_fc1"]));
    add(net, "InnerProduct", side + "/classifier", dynamic_cast<L::Linear&>(model[side + "_fc2"]));
  }
  add(net, "InnerProduct", "loss3/classifier", model.loss3_fc);

  dataset::set_dataset_root(folder);
  const fs::path models = folder / "pfnet" / "chainer" / "models";
  fs::create_directories(models);
  write_file(models / "bvlc_googlenet.caffemodel", caffe::write_net(net));
  const L::GoogLeNet loaded;
  EXPECT_EQ(first(loaded.conv1.W.array()), blob(net, "conv1/7x7_s2", 0));
  EXPECT_EQ(first(loaded.inc4c.proj5.b->array()), blob(net, "inception_4c/5x5_reduce", 1));
  EXPECT_EQ(first(loaded.inc5b.projp.W.array()), blob(net, "inception_5b/pool_proj", 0));
  EXPECT_EQ(first(loaded.loss2_fc2.W.array()), blob(net, "loss2/classifier", 0));
  EXPECT_EQ(first(loaded.loss3_fc.b->array()), blob(net, "loss3/classifier", 1));
  EXPECT(fs::exists(models / "bvlc_googlenet.npz"));
  fs::remove(models / "bvlc_googlenet.caffemodel");
  const L::GoogLeNet again;
  EXPECT_EQ(first(again.inc3a.conv3.W.array()), blob(net, "inception_3a/3x3", 0));

  net.layers.pop_back();
  write_file(folder / "short.caffemodel", caffe::write_net(net));
  EXPECT_THROW(KeyError, "loss3/classifier", L::GoogLeNet((folder / "short.caffemodel").string()));
  dataset::set_dataset_root({});
}

TEST(resnet_takes_the_published_weights_and_converts_them) {
  if (!with_protobuf()) return;
  L::ResNet50Layers model(std::nullopt);
  Net net;
  add_normalized(net, "conv1", "_conv1", model.conv1);
  const std::pair<std::string, std::string> stages[] = {{"2", "abc"}, {"3", "abcd"}, {"4", "abcdef"}, {"5", "abc"}};
  for (const auto& [stage, letters] : stages) {
    auto& block = dynamic_cast<L::BuildingBlock&>(model["res" + stage]);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const std::string name = stage + letters[i] + "_branch";
      const auto branch = [&](const std::string& which, const L::Convolution2D& conv) {
        add_normalized(net, "res" + name + which, name + which, conv);
      };
      const auto three = [&](const auto& b) { branch("2a", b.conv1), branch("2b", b.conv2), branch("2c", b.conv3); };
      if (i == 0)
        three(block.a), branch("1", block.a.conv4);
      else
        three(dynamic_cast<L::BottleneckB&>(block[text("b", i)]));
    }
  }
  add(net, "InnerProduct", "fc1000", model.fc6);
  const std::string from = (folder / "resnet.caffemodel").string(), to = (folder / "resnet.npz").string();
  write_file(from, caffe::write_net(net));
  L::ResNetLayers::convert_caffemodel_to_npz(from, to, 50);
  const L::ResNet50Layers loaded(to);
  EXPECT_EQ(first(loaded.bn1.avg_mean), blob(net, "bn_conv1", 0));
  EXPECT_EQ(first(loaded.res2.a.conv4.W.array()), blob(net, "res2a_branch1", 0));
  EXPECT_EQ(first(loaded.res3.a.bn4.beta->array()), blob(net, "scale3a_branch1", 1));
  EXPECT_EQ(first(dynamic_cast<L::BottleneckB&>(loaded.res4["b5"]).bn2.avg_var), blob(net, "bn4f_branch2b", 1));
  EXPECT_EQ(first(dynamic_cast<L::BottleneckB&>(loaded.res5["b2"]).bn3.gamma->array()),
            blob(net, "scale5c_branch2c", 0));
  EXPECT_EQ(first(loaded.fc6.b->array()), blob(net, "fc1000", 1));
}
