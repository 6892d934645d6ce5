// SPDX-License-Identifier: MIT
// Links that create or receive arrays on the host, with parameters on the emulated device.
#include <chainer/chainer.h>

#include "chainer/array/host.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

// The tables of the tree stay on the host; losses and gradients are on the device, with the values of the host.
TEST(words_are_found_in_their_tree) {
  random::seed(2);
  L::BinaryHierarchicalSoftmax link(3, L::BinaryHierarchicalSoftmax::create_huffman_tree({{0, 5}, {1, 2}, {2, 1}}));
  const Array x = random::RandomState(2).randn({4, 3}).astype(float32), t = array(std::vector<int32_t>{2, 0, 1, 2});
  const auto run = [&](const Device& d) {
    link.to_device(d);
    link.cleargrads();
    const Variable loss = link(Variable(x.to_device(d)), Variable(t.to_device(d)));
    loss.backward();
    EXPECT(loss.device() == d);
    return Arrays{to_host(loss.array()), to_host(link.W.grad())};
  };
  const Arrays want = run(Device()), got = run(emulated_number(0));
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_CLOSE(got[k], want[k], {.atol = 1e-6, .rtol = 1e-5});
}

namespace {

struct OneLayer : L::VisionModel {
  L::Convolution2D c{3, 2, 1};
  OneLayer() : VisionModel(std::nullopt, "") {}
  CHAINER_MEMBERS(OneLayer, c);
  std::vector<Stage> functions() override {
    const auto layer = [this](const Variable& x) { return F::sum(c(x), {2, 3}); };
    return {{"prob", {layer}}};
  }
  Array prepare(const Array& image, const PerAxis& size) const override { return L::vgg::prepare(image, size); }
  void take_caffe_weights(const L::caffe::CaffeFunction&) override {}
};

}  // namespace

// Pictures are prepared on the host and copied to the device of the weights.
TEST(a_vision_model_takes_pictures_of_the_host) {
  random::seed(4);
  OneLayer model;
  const Array picture = random::RandomState(3).randint(0, 256, {9, 8, 3}).astype(uint8);
  const Array features = model.extract({picture}, {"prob"}, {4, 4}).at("prob").array();
  const Array classes = model.predict({picture}, false).array();
  model.to_device(emulated_number(0));
  const Array there = model.extract({picture}, {"prob"}, {4, 4}).at("prob").array();
  EXPECT(there.device() == emulated_number(0));
  EXPECT_CLOSE(to_host(there), features, {.atol = 1e-3, .rtol = 1e-4});
  EXPECT_CLOSE(to_host(model.predict({picture}, false).array()), classes, {.atol = 1e-1, .rtol = 1e-4});
}
