// SPDX-License-Identifier: MIT
// Networks with integers of eight bits: their layers, errors, files and refusals.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>
#include <thread>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

// A residual network with all kinds of layers.
struct Residual : Chain {
  L::Convolution2D conv1{3, 16, 3, {.pad = 1, .nobias = true}}, conv2{16, 16, 3, {.pad = 1}}, conv3{16, 20, 1};
  L::BatchNormalization bn1{16};
  L::Linear l1{20, 30}, l2{30, 5};
  CHAINER_MEMBERS(Residual, conv1, conv2, conv3, bn1, l1, l2);
  Variable forward(const Variable& x) {
    const Variable h = F::max_pooling_2d(F::relu(bn1(conv1(x))), 2);
    const Variable y = F::relu(conv3(F::relu(conv2(h) + h)));
    const Variable means = F::average_pooling_2d(y, {y.shape(2), y.shape(3)});
    return l2(F::tanh(l1(F::reshape(means, {x.shape(0), 20}))));
  }
};

Array images(int seed, int64_t n) { return random::RandomState(seed).normal(0, 1, {n, 3, 10, 10}, float32); }

void train_statistics(Residual& net) {
  for (int i = 0; i < 3; ++i) (void)net(images(i, 8) * 2.f + 0.5f);
}
double relative(const Array& a, const Array& b) {
  const Array d = a - b;
  return std::sqrt(sum(d * d).item<double>() / sum(b * b).item<double>());
}
const inference::QuantizedLayer& layer(const inference::Quantized& q, const std::string& name) {
  for (const auto& l : q.layers())
    if (l.name == name) return l;
  throw KeyError("no layer ", name);
}

}  // namespace

TEST(quantized_networks_are_near_the_original) {
  random::seed(3);
  Residual net;
  train_statistics(net);
  const UsingConfig test(&Config::train, false);
  const Array x = images(9, 12);
  const Array expected = net(x).array();
  for (const auto calibration :
       {inference::Calibration::largest, inference::Calibration::percentile, inference::Calibration::least_squares}) {
    const inference::Quantized q =
        inference::quantize(net, {{images(5, 16)}, {images(6, 16)}}, {.calibration = calibration});
    EXPECT(q(x).shape() == expected.shape() && q(x).dtype() == float32);
    EXPECT(relative(q(x), expected) > 0);
    EXPECT(relative(q(x), expected) < 0.05);
    for (int call = 0; call < 3; ++call) EXPECT(relative(q(images(call, 12)), net(images(call, 12)).array()) < 0.05);
    for (const char* name : {"conv1", "conv2", "conv3", "l1", "l2"}) {
      EXPECT(layer(q, name).quantized && layer(q, name).reason.empty());
      EXPECT(layer(q, name).error > 0 && layer(q, name).error < 0.05);
    }
    int additions = 0, pools = 0, floats = 0;
    for (const auto& l : q.layers()) {
      additions += l.op == "Add" && l.quantized, pools += l.op.ends_with("Pool") && l.quantized;
      floats += !l.quantized;
      if (l.op == "Tanh") EXPECT(l.quantized);
    }
    EXPECT_EQ(additions, 1);
    EXPECT_EQ(pools, 2);
    EXPECT_EQ(floats, 0);
    EXPECT(q.report().find("conv2") != std::string::npos && q.report().find("float32:") == std::string::npos);
    EXPECT(q.network().refused_replay().empty());
  }
}

TEST(quantized_networks_are_saved_and_loaded) {
  random::seed(4);
  Residual net;
  train_statistics(net);
  const inference::Quantized q = inference::quantize(net, {{images(5, 16)}});
  q.save(test::folder / "quantized.onnx");
  const inference::Prepared again = inference::prepare(onnx::Model(test::folder / "quantized.onnx"), {images(5, 2)});
  for (const int64_t n : {1, 2, 40}) EXPECT_EQ(max(abs(again(images(7, n)) - q(images(7, n)))).item<float>(), 0.f);
  EXPECT_EQ(again.operator_count(), q.network().operator_count());
  // Without fused operators the file means the same.
  onnx::Model plain(test::folder / "quantized.onnx");
  const UsingConfig test(&Config::train, false);
  EXPECT(relative(plain(images(7, 4)).array(), q(images(7, 4))) < 0.02);
  // Threads share a network.
  const Array x = images(8, 3), y = q(x);
  std::vector<std::thread> threads;
  std::vector<float> differences(4);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) differences[t] += max(abs(q(x) - y)).item<float>();
    });
  for (std::thread& t : threads) t.join();
  for (const float d : differences) EXPECT_EQ(d, 0.f);
}

TEST(files_of_others_are_quantized) {
  random::seed(6);
  Residual net;
  train_statistics(net);
  onnx::Model model = onnx::Model::from_bytes(onnx::export_model(net, {images(5, 2)}));
  const inference::Quantized q = inference::quantize(model, {{images(5, 16)}});
  const UsingConfig test(&Config::train, false);
  EXPECT(relative(q(images(1, 4)), net(images(1, 4)).array()) < 0.05);
  EXPECT(layer(q, "conv2").quantized && layer(q, "l2").quantized);
}

namespace {

// Filters that are used twice, with a normalization of their own after each.
struct Twice : Chain {
  L::Convolution2D conv{8, 8, 3, {.pad = 1}};
  L::BatchNormalization bn1{8}, bn2{8};
  CHAINER_MEMBERS(Twice, conv, bn1, bn2);
  Variable forward(const Variable& x) { return bn2(conv(F::relu(bn1(conv(x))))); }
};

}  // namespace

TEST(layers_that_share_filters) {
  random::seed(7);
  random::RandomState draw(7);
  const auto normal = [&](int64_t n) { return draw.normal(0, 1, {n, 8, 6, 6}, float32); };
  Twice net;
  net.bn1.beta->set_array(draw.uniform(-1, 1, {8}, float32));
  net.bn2.beta->set_array(draw.uniform(-3, 3, {8}, float32));
  for (int i = 0; i < 5; ++i) (void)net(normal(16));
  const inference::Quantized q = inference::quantize(net, {{normal(64)}});
  EXPECT_EQ(q.layers().size(), std::size_t(2));
  for (const inference::QuantizedLayer& l : q.layers()) EXPECT(l.name == "conv" && l.quantized && l.error < 0.03);
  const UsingConfig test(&Config::train, false);
  const Array x = normal(300);
  EXPECT(relative(q(x), net(x).array()) < 0.03);
}

namespace {

// Activations of several operators, a gate for each channel, joined branches, and a softmax in float32.
struct Gated : Chain {
  L::Convolution2D conv1{3, 16, 3, {.pad = 1}}, conv2{16, 16, 1}, conv3{32, 16, 3};
  L::Linear squeeze{16, 16}, l1{16, 24}, l2{24, 5};
  CHAINER_MEMBERS(Gated, conv1, conv2, conv3, squeeze, l1, l2);
  Variable forward(const Variable& x) {
    const Variable h = F::silu(conv1(x)), means = F::average_pooling_2d(h, {h.shape(2), h.shape(3)});
    const Variable gate = F::reshape(F::sigmoid(squeeze(F::reshape(means, {x.shape(0), 16}))), {x.shape(0), 16, 1, 1});
    const Variable gated = h * F::broadcast_to(gate, h.shape());
    const Variable both = F::concat({F::elu(conv2(gated)), h}, 1);
    const Variable y = F::relu(conv3(both)), m = F::average_pooling_2d(y, {y.shape(2), y.shape(3)});
    return F::softmax(l2(F::gelu(l1(F::reshape(m, {x.shape(0), 16})))));
  }
};

}  // namespace

TEST(activations_gates_and_joined_branches_stay_on_integers) {
  random::seed(8);
  Gated net;
  const UsingConfig test(&Config::train, false);
  const inference::Quantized q = inference::quantize(net, {{images(5, 32)}, {images(6, 32)}});
  for (const auto& l : q.layers()) {
    if (l.quantized == (l.op != "Softmax")) continue;
    test::fail(__FILE__, __LINE__, l.op + " " + l.name + ": " + l.reason);
  }
  for (const int64_t n : {1, 5, 40}) EXPECT(relative(q(images(n, n)), net(images(n, n)).array()) < 0.05);
  q.save(test::folder / "gated.onnx");
  const inference::Prepared again = inference::prepare(onnx::Model(test::folder / "gated.onnx"), {images(5, 2)});
  EXPECT_EQ(max(abs(again(images(7, 3)) - q(images(7, 3)))).item<float>(), 0.f);
}

namespace {

struct Remembers : Chain {
  L::LSTM lstm{3, 8};
  L::Linear out{8, 2};
  bool resets = false;
  CHAINER_MEMBERS(Remembers, lstm, out);
  Variable forward(const Variable& x) {
    if (resets) lstm.reset_state();
    return out(lstm(x));
  }
};

}  // namespace

TEST(networks_with_a_state_are_refused) {
  Remembers net;
  const Array x = random::RandomState(1).normal(0, 1, {16, 3}, float32);
  EXPECT_THROW(ValueError, "keeps a state from one call to the next", inference::quantize(net, {{x}}));
  net.resets = true;
  EXPECT(relative(inference::quantize(net, {{x}})(x), net(x).array()) < 0.05);
}

TEST(layers_that_stay_in_float32) {
  random::seed(5);
  Residual net;
  train_statistics(net);
  const UsingConfig test(&Config::train, false);
  const inference::Quantized q = inference::quantize(net, {{images(5, 16)}}, {.leave = {"conv1", "l1", "l2"}});
  EXPECT(!layer(q, "conv1").quantized && layer(q, "conv1").reason == "it is in `leave`");
  EXPECT(layer(q, "conv1").error < 1e-5);
  EXPECT(layer(q, "conv2").quantized && !layer(q, "l2").quantized);
  EXPECT(relative(q(images(1, 4)), net(images(1, 4)).array()) < 0.05);
  // Outliers move the range; other calibrations leave them out.
  L::Linear link(8, 4);
  Array x = random::RandomState(1).normal(0, 1, {64, 8}, float32);
  x.set({0, 0}, 1000);
  const Array usual = random::RandomState(2).normal(0, 1, {64, 8}, float32);
  const auto error = [&](const inference::QuantizeOptions& o) {
    return relative(inference::quantize(link, {{x}}, o)(usual), link(usual).array());
  };
  EXPECT(error({.calibration = inference::Calibration::largest}) > 0.3);
  EXPECT(error({.calibration = inference::Calibration::percentile, .percentile = 99}) < 0.3);
}

TEST(quantize_refuses_what_it_cannot_do) {
  L::Linear link(3, 2);
  const Variable x = ones({4, 3});
  EXPECT_THROW(ValueError, "at least one batch", inference::quantize(link, {}));
  EXPECT_THROW(ValueError, "percentile must be in (0, 100], not 0",
               inference::quantize(link, {{x}}, {.percentile = 0}));
  EXPECT_THROW(ValueError, "no layer is named 'l9'", inference::quantize(link, {{x}}, {.leave = {"l9"}}));
  const Variable bad = full({4, 3}, std::numeric_limits<float>::infinity());
  EXPECT_THROW(ValueError, "expected finite numbers", inference::quantize(link, {{x}, {bad}}));
  const inference::Quantized q = inference::quantize(link, {{x}});
  EXPECT_THROW(Error, "", q(ones({4, 5})));
}

TEST(networks_of_other_dtypes_are_quantized) {
  for (const Dtype dtype : {float64, float16}) {
    const UsingConfig wide(&Config::dtype, dtype);
    random::seed(9);
    Sequential net(L::Convolution2D(3, 16, 3), L::BatchNormalization(16), F::relu, L::Convolution2D(16, 16, 3));
    const auto drawn = [&](int seed) { return images(seed, 8).astype(dtype); };
    for (int i = 0; i < 3; ++i) (void)net(drawn(i));
    const inference::Quantized q = inference::quantize(net, {{drawn(5)}});
    const UsingConfig test(&Config::train, false);
    EXPECT(relative(q(drawn(6)).astype(float64), net(drawn(6)).array().astype(float64)) < 0.05);
  }
}

TEST(tables_after_layers_in_float32) {
  random::seed(10);
  struct Chosen {
    static const inference::QuantizedLayer& of(const inference::Quantized& q, const std::string& op) {
      for (const auto& l : q.layers())
        if (l.op == op) return l;
      throw KeyError("no operator ", op);
    }
  };
  Sequential net(L::Linear(8, 16), F::silu, L::Linear(16, 4));
  const Array x = random::RandomState(1).normal(0, 1, {64, 8}, float32);
  const inference::Quantized q = inference::quantize(net, {{x}}, {.leave = {"0"}});
  EXPECT(layer(q, "0").error < 1e-6 && !layer(q, "0").quantized);
  EXPECT_EQ(Chosen::of(q, "Sigmoid").reason, "its input is made in float32");
}

TEST(biases_of_small_weights_stay) {
  random::RandomState draw(3);
  const Array x = draw.normal(0, 100, {64, 8}, float32);
  for (const float size : {0.f, 1e-30f, 1e-12f, 1e-8f, 1e-4f}) {
    random::seed(1);
    L::Linear link(8, 4);
    Array W = link.W.array(), b = link.b->array();
    Array row = W[{0}];
    row *= size;
    b.fill(0.3);
    const Array difference = absolute(inference::quantize(link, {{x}})(x) - link(x).array());
    EXPECT(max(difference[{Slice(), 0}]).item<float>() < 0.01f);
  }
  // A dead filter of a folded normalization.
  Sequential net(L::Convolution2D(3, 8, 3), L::BatchNormalization(8), L::Convolution2D(8, 4, 1));
  (void)net(images(1, 8));
  for (auto& [path, p] : net.namedparams())
    if (path == "/1/gamma" || path == "/1/beta") p.set_array(full({8}, path == "/1/gamma" ? 0 : 0.4, float32));
  const UsingConfig test(&Config::train, false);
  EXPECT(relative(inference::quantize(net, {{images(2, 8)}})(images(3, 4)), net(images(3, 4)).array()) < 0.02);
}

TEST(weights_that_are_not_finite_are_refused) {
  L::Linear link(3, 2);
  Array W = link.W.array();
  W.set({1, 2}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THROW(ValueError, "must be finite, 1 of its 6 elements are not", inference::quantize(link, {{ones({4, 3})}}));
  W.fill(1);
  link.b->set_array(full({2}, std::numeric_limits<float>::infinity(), float32));
  EXPECT_THROW(ValueError, "must be finite, 2 of its 2 elements are not", inference::quantize(link, {{ones({4, 3})}}));
}
