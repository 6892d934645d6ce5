// SPDX-License-Identifier: MIT
// Links that create or receive arrays on the host, with parameters on the emulated device.
#include <chainer/chainer.h>

#include <sstream>

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

// Statistics that are made or loaded after the move.
TEST(links_are_moved_before_they_are_complete) {
  const Array x = random::RandomState(5).randn({6, 3}).astype(float32);
  const auto run = [&](const Device& d) {
    L::BatchNormalization bn(std::nullopt, {.axis = Axes{0}}), loaded(std::nullopt, {.axis = Axes{0}});
    bn.to_device(d), loaded.to_device(d);
    const Variable y = bn(Variable(x.to_device(d)));
    std::stringstream file;
    serializers::save_npz(file, bn);
    serializers::load_npz(file, loaded);
    UsingConfig test_mode(&Config::train, false);
    const Variable z = loaded(Variable(x.to_device(d)));
    EXPECT(bn.avg_mean.device() == d && loaded.avg_var.device() == d && z.device() == d);
    L::StandardScaler fitted, scaler;
    fitted.fit(x);
    std::stringstream scales;
    serializers::save_npz(scales, fitted);
    scaler.to_device(d);
    serializers::load_npz(scales, scaler);
    return Arrays{to_host(y.array()), to_host(bn.avg_var), to_host(z.array()),
                  to_host(scaler(Variable(x.to_device(d))).array())};
  };
  const Arrays want = run(Device()), got = run(emulated_number(0));
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_CLOSE(got[k], want[k], {.atol = 1e-5, .rtol = 1e-5});
}

TEST(statistics_on_another_device_are_updated_there) {
  const Array x = random::RandomState(4).randn({5, 3}).astype(float32);
  const auto updated = [&](const Device& d) {
    const Variable one(ones({3}).to_device(d));
    const Array mean = zeros({3}), var = ones({3});
    (void)F::batch_normalization(Variable(x.to_device(d)), one, one, {.running_mean = mean, .running_var = var});
    return Arrays{mean, var};
  };
  const Arrays want = updated(Device()), got = updated(emulated_number(0));
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_CLOSE(got[k], want[k], {.atol = 1e-6, .rtol = 1e-5});
}

TEST(states_follow_their_link) {
  const Array x = random::RandomState(6).randn({2, 3}).astype(float32);
  const auto check = [&](auto& link) {
    const auto second = [&](const Device& d) {
      link.to_cpu();
      link.reset_state();
      (void)link(Variable(x));
      link.to_device(d);
      link.cleargrads();
      const Variable y = link(Variable(x.to_device(d)));
      F::sum(y).backward();
      return to_host(y.array());
    };
    EXPECT_CLOSE(second(emulated_number(0)), second(Device()), {.atol = 1e-6, .rtol = 1e-5});
  };
  L::LSTM lstm(3, 4);
  L::StatefulGRU gru(3, 4);
  L::StatefulMGU mgu(3, 4);
  L::StatefulPeepholeLSTM peephole(3, 4);
  L::StatefulZoneoutLSTM zoneout(3, 4, {.c_ratio = 0, .h_ratio = 0});
  check(lstm), check(gru), check(mgu), check(peephole), check(zoneout);
}

TEST(forget_of_inputs_without_gradients) {
  const Array x = random::RandomState(7).randn({2, 3}).astype(float32);
  L::Linear link(3, 4);
  const auto gradient = [&](const Device& d) {
    link.to_device(d);
    link.cleargrads();
    const Variable y = F::forget([&](const Variable& v) { return F::tanh(link(v)); }, Variable(x.to_device(d), false));
    F::sum(y).backward();
    return to_host(link.W.grad());
  };
  EXPECT_CLOSE(gradient(emulated_number(0)), gradient(Device()), {.atol = 1e-6, .rtol = 1e-5});
}

namespace {

struct Halves : Chain {
  L::Linear first{3, 4}, second{4, 2};
  CHAINER_MEMBERS(Halves, first, second);
};

}  // namespace

TEST(optimizers_of_parameters_on_two_devices) {
  const Array x = random::RandomState(8).randn({2, 3}).astype(float32);
  const auto trained = [&](const Device& a, const Device& b) {
    random::seed(9);
    Halves model;
    model.first.to_device(a), model.second.to_device(b);
    optimizers::SGD optimizer(0.1);
    optimizer.setup_link(model);
    optimizer.on_nan = optimizer::OnNan::stop;
    optimizer.add_hook(optimizer_hooks::GradientClipping(0.5));
    for (int step = 0; step < 3; ++step)
      optimizer.update([&] {
        const Variable h = F::copy(model.first(Variable(x.to_device(a))), b);
        return F::sum(model.second(h) * model.second(h));
      });
    return Arrays{to_host(model.first.W.array()), to_host(model.second.W.array())};
  };
  const Arrays want = trained(Device(), Device()), got = trained(emulated_number(0), emulated_number(1));
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_CLOSE(got[k], want[k], {.atol = 1e-6, .rtol = 1e-5});
}
