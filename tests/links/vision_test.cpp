// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <algorithm>

#include "folder.h"
#include "test.h"

using namespace chainer;

// Features of the networks on a small picture for a seed, and modules with gradients, agree with release 5.4.0
// (conformance/make_training.py).
TEST(networks_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  const Array picture = f.array("vision/picture");
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  const auto compare = [&](const std::string& name, L::VisionModel& model, const std::string& layer) {
    const Array features = model.forward(picture, std::vector<std::string>{layer}).at(layer).array();
    EXPECT_CLOSE(mean(features, {2, 3}), f.array("vision/" + name), {.atol = 1e-4, .rtol = 1e-3});
  };
  random::seed(5);
  L::ResNet50Layers resnet(std::nullopt);
  compare("resnet50", resnet, "res4");
  random::seed(5);
  L::ResNet50Layers facebook(std::nullopt, true);
  compare("resnet50_fb", facebook, "res3");
  random::seed(5);
  L::GoogLeNet googlenet(std::nullopt);
  compare("googlenet", googlenet, "inception_4a");
}

TEST(pictures_are_prepared_as_the_release_does) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  const Array picture = f.array("vision/bytes");
  // The image library of the release computes in fixed point: a byte may be rounded differently.
  const auto compare = [&](const Array& ours, const std::string& name) {
    const Array theirs = f.array("vision/" + name);
    EXPECT_EQ(ours.shape(), theirs.shape());
    EXPECT(max(absolute(ours - theirs)).item<float>() <= 1.001f);
    EXPECT(mean(absolute(ours - theirs)).item<float>() < 0.05f);
  };
  compare(L::vgg::prepare(picture, {9, 5}), "vgg");
  compare(L::googlenet::prepare(picture.transpose({2, 0, 1}), PerAxis()), "googlenet_prepared");
  compare(L::resnet::prepare(picture[{Slice(), Slice(), 0}], 31), "resnet");
  EXPECT_THROW(DimensionError, "(2, 5, 6)", L::vgg::prepare(zeros({2, 5, 6})));
  // Alpha is dropped, as in the release's conversion to RGB.
  const auto same = [](const Array& a, const Array& b) { EXPECT_CLOSE(a, b, {.atol = 0, .rtol = 0}); };
  const Array alpha = full({picture.shape()[0], picture.shape()[1], 1}, 100).astype(uint8);
  const Array rgba = concatenate({picture, alpha}, 2), grey = picture[{Slice(), Slice(), Slice(0, 1)}];
  same(L::vgg::prepare(rgba, {9, 5}), L::vgg::prepare(picture, {9, 5}));
  same(L::vgg::prepare(rgba.transpose({2, 0, 1}), {9, 5}), L::vgg::prepare(picture, {9, 5}));
  same(L::resnet::prepare(concatenate({grey, alpha}, 2), 31),
       L::resnet::prepare(grey.reshape(alpha.shape())[{Slice(), Slice(), 0}], 31));
}

TEST(networks_name_their_layers) {
  L::ResNet50Layers model(std::nullopt);
  const auto layers = model.available_layers();
  EXPECT_EQ(layers.size(), 9u);
  EXPECT_EQ(layers[1], std::string("pool1"));
  const Array x = random::RandomState(3).rand({1, 3, 64, 64}).astype(float32);
  const NamedVariables both = model(x, std::vector<std::string>{"pool1", "res2"});
  EXPECT_EQ(both.size(), 2u);
  EXPECT_EQ(both.at("pool1").shape(), (Shape{1, 64, 16, 16}));
  EXPECT_EQ(both.at("res2").shape(), (Shape{1, 256, 16, 16}));
  EXPECT_THROW(ValueError, "no layer 'res9'", model(x, std::vector<std::string>{"res9"}));
  const auto params = model.namedparams();
  EXPECT(std::any_of(params.begin(), params.end(), [](const auto& p) { return p.first == "/res2/a/conv1/W"; }));
  const Array picture = random::RandomState(3).randint(0, 256, {40, 50, 3}).astype(uint8);
  EXPECT_EQ(model.extract({picture}, {"pool1"}, {32, 32}).at("pool1").shape(), (Shape{1, 64, 8, 8}));
}

TEST(networks_load_and_miss_their_weights) {
  const test::Folder place;
  const auto& folder = place.path;
  dataset::set_dataset_root(folder);
  EXPECT_THROW(FileError, "put ResNet-50-model.caffemodel (as published for Caffe) or ResNet-50-model.npz",
               L::ResNet50Layers());
  EXPECT_THROW(FileError, "VGG_ILSVRC_16_layers.npz", L::VGG16Layers());
  EXPECT_THROW(FileError, "bvlc_googlenet.npz", L::GoogLeNet());
  EXPECT_THROW(FileError, "nowhere.npz does not exist", L::ResNet101Layers("nowhere.npz"));
  EXPECT_THROW(FileError, "weights.caffemodel does not exist", L::VGG19Layers("weights.caffemodel"));
  EXPECT_THROW(ValueError, "50, 101 or 152, not 18", L::ResNetLayers(std::nullopt, 18));
  const auto file = folder / "pfnet" / "chainer" / "models" / "bvlc_googlenet.npz";
  std::filesystem::create_directories(file.parent_path());
  L::GoogLeNet first(std::nullopt);
  serializers::save_npz(file, static_cast<Link&>(first), false);
  L::GoogLeNet second;
  EXPECT_CLOSE(second.inc4c.conv3.W.array(), first.inc4c.conv3.W.array(), {.atol = 0});
  EXPECT_CLOSE(second.loss3_fc.W.array(), first.loss3_fc.W.array(), {.atol = 0});
  dataset::set_dataset_root({});
}
