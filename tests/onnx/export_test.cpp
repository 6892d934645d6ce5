// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>
#include <chainer/onnx/model_file.h>

#include <algorithm>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

using Computation = std::function<Variables(const Variables&)>;

Variable numbers(const Shape& s, uint32_t seed = 0) {
  return Variable(random::RandomState(seed).randn(s, float32), false);
}

// Imports an exported file and returns its results.
Variables again(const std::string& bytes, const Variables& in) {
  UsingConfig test_mode(&Config::train, false);
  onnx::Model model = onnx::Model::from_bytes(bytes);
  return model(in);
}

void expect_same(const std::string& name, const Computation& f, const Variables& in, int64_t opset) {
  try {
    const Variables out = again(onnx::export_function(f, in, {.opset = opset}), in);
    UsingConfig test_mode(&Config::train, false);
    const Variables expected = f(in);
    for (std::size_t i = 0; i < expected.size(); ++i)
      testing::assert_allclose(out[i].array(), expected[i].array(), {.atol = 1e-5, .rtol = 1e-5});
    ++test::expectations;
  } catch (const std::exception& e) { test::fail(__FILE__, __LINE__, name + ": " + e.what()); }
}

struct Net : Chain {
  L::Convolution2D conv{2, 4, 3, {.pad = 1}};
  L::BatchNormalization bn{4};
  L::Linear out{4, 3};
  CHAINER_MEMBERS(Net, conv, bn, out);
  Variable forward(const Variable& x) {
    const Variable h = F::relu(bn(conv(x)));
    return out(F::reshape(F::average_pooling_2d(h, 4), {x.shape()[0], 4}));
  }
};

}  // namespace

#define SAME(EXPRESSION, ...)          \
  for (const int64_t opset : {13, 18}) \
  expect_same(                         \
      #EXPRESSION, [](const Variables& x) { return Variables{EXPRESSION}; }, Variables{__VA_ARGS__}, opset)

TEST(functions_with_special_cases_of_zero_come_back) {
  const Variable m(array({{1.f, 2.f, 0.f}, {-3.f, -4.f, -1.f}, {0.f, 0.f, 0.f}}), false);
  const Variable labels(array({0, 1, 0}).astype(int32), false), image(zeros({1, 2, 2, 3}), false);
  SAME(F::normalize(F::relu(x[0])), m);
  SAME(F::normalize(x[0], {.axis = 0}), m);
  SAME(F::rrelu(x[0], 0.25, 0.5), m);
  SAME(F::contrastive(F::relu(x[0]), F::relu(x[0] * 2.0), x[1]), m, labels);
  SAME(F::bernoulli_nll(F::sigmoid(x[0]), x[0]), m);
  SAME(F::discriminative_margin_based_clustering_loss(x[0], Variable(ones({1, 2, 3}, int32), false), 0.5, 1.5, 2)[2],
       image);
}

TEST(functions_come_back) {
  const Variable m = numbers({3, 4}), n = numbers({3, 4}, 1), cube = numbers({2, 3, 4}), image = numbers({2, 3, 6, 5});
  SAME(x[0] + x[1] * 2.0 - 1.0 / (3.0 + F::square(x[0])), m, n);
  SAME(5.0 - x[0] / x[1], m, n);
  SAME(pow(F::absolute(x[0]), 1.5) + pow(2.0, x[0]), m);
  SAME(F::exp(x[0]) + F::log1p(F::square(x[0])) + F::rsqrt(F::exp(x[0])), m);
  SAME(F::relu(x[0]) + F::sigmoid(x[0]) + F::tanh(x[0]) + F::elu(x[0], {.alpha = 0.3}) + F::leaky_relu(x[0]), m);
  SAME(F::softplus(x[0], {.beta = 2}) + F::selu(x[0]) + F::clipped_relu(x[0], 0.5) + F::clip(x[0], -0.2, 0.3), m);
  SAME(F::hard_sigmoid(x[0] * 2.0), m);
  SAME(F::softmax(x[0], 2) + F::log_softmax(x[0], 1), cube);
  SAME(F::sum(x[0], {0, 2}), cube);
  SAME(F::max(x[0], 1, {.keepdims = true}) - F::min(x[0]), cube);
  SAME(F::logsumexp(x[0], 1), cube);
  SAME(F::average(x[0], {1, 2}), cube);
  SAME(F::prod(x[0], 2), cube);
  SAME(F::maximum(x[0], x[1]) + F::minimum(x[0], x[1] * 2.0), m, n);
  SAME(F::matmul(x[0], x[1], {.transb = true}), m, n);
  SAME(F::transpose(x[0], {2, 0, 1}), cube);
  SAME(F::concat({x[0], x[0] * 2.0}, 2), cube);
  SAME(F::get_item(x[0], {Slice(), Slice(std::nullopt, std::nullopt, -1), 1}), cube);
  SAME(F::get_item(x[0], {Slice(), array({2, 0, -1})}), cube);
  SAME(F::get_item(x[0], {array({0, 2, 1}), array({1, 1, -1})}), m);
  SAME((x[0][{newaxis, Slice(0, 2), ellipsis}]), cube);
  SAME(F::broadcast_to(F::reshape(x[0], {3, 1, 4}), {3, 2, 4}), m);
  SAME(F::pad(x[0], {{0, 0}, {1, 2}}, "constant", {.constant_values = 3}), m);
  SAME(F::split_axis(x[0], 2, 1)[1], m);
  SAME(F::cumsum(x[0], 1), m);
  SAME(F::ndtr(x[0]), m);
  SAME(F::forget([](const Variable& v) { return F::tanh(v) * v; }, x[0]), m);
  SAME(F::local_response_normalization(x[0], {.n = 3}), cube);
  SAME(F::local_response_normalization(x[0], {.n = 3}), m);
  SAME(F::local_response_normalization(x[0], {.n = 3}), image);
  SAME((F::deconvolution_2d(x[0], F::reshape(x[1], {3, 1, 2, 2}), {}, {.stride = 3, .outsize = {16, 15}})), image, m);
  SAME(F::normalize(x[0]) + F::layer_normalization(x[0], x[1][0], x[1][1]), m, n);
  SAME(F::local_response_normalization(x[0]), image);
  SAME(F::max_pooling_2d(x[0], 2), image);
  SAME(F::max_pooling_2d(x[0], 3, {.stride = 2, .pad = 1, .cover_all = false}), image);
  SAME(F::average_pooling_2d(x[0], 3, {.stride = 1, .pad = 1}), image);
  SAME(F::convolution_2d(x[0], x[1], {}, {.stride = 2, .pad = 1}), image, numbers({4, 3, 3, 3}));
  SAME(F::deconvolution_2d(x[0], x[1], {}, {.stride = 2, .pad = 1}), image, numbers({3, 2, 4, 4}));
  SAME(F::mean_squared_error(x[0], x[1]), m, n);
  SAME(F::softmax_cross_entropy(x[0], x[1]), m, Variable(array({1, 0, 3}), false));
  SAME(F::depth2space(x[0], 2), numbers({1, 8, 2, 3}));
  SAME(F::select_item(x[0], x[1]), m, Variable(array({1, 0, 3}), false));
  SAME(F::lstm(x[0], x[1])[1], m, numbers({3, 16}));
}

TEST(parameters_keep_their_paths) {
  Net net;
  const Variable x = numbers({2, 2, 4, 4});
  const std::string bytes = onnx::export_model(net, {x}, {.input_names = {"image"}, .metadata = {{"author", "me"}}});
  onnx::Model model = onnx::Model::from_bytes(bytes);
  std::vector<std::string> paths, expected;
  for (const auto& [path, p] : model.namedparams()) paths.push_back(path);
  for (const auto& [path, p] : net.namedparams()) expected.push_back(path);
  EXPECT(paths == expected);
  EXPECT_EQ(model.inputs()[0].name, "image");
  EXPECT_EQ(model.producer(), "chainer");
  EXPECT_EQ(model.metadata()[0].second, "me");
  UsingConfig test_mode(&Config::train, false);
  // Another batch length than in the export.
  const Variable more = numbers({5, 2, 4, 4}, 3);
  EXPECT_CLOSE(model(more).array(), net(more).array());
  // An imported model is exported again.
  const Variables twice = again(onnx::export_model(model, {x}), {more});
  EXPECT_CLOSE(twice[0].array(), net(more).array());
}

TEST(recurrent_layers_are_nodes_of_their_own) {
  L::NStepLSTM lstm(2, 3, 4, 0.0);
  const Variable x = numbers({5, 2, 3});
  const Computation f = [&](const Variables& in) {
    Variables steps;
    for (int64_t t = 0; t < 5; ++t) steps.push_back(in[0][t]);
    const auto r = lstm(Variable(zeros({2, 5, 4}), false), Variable(zeros({2, 5, 4}), false), steps);
    return Variables{r.hy, F::stack(r.ys, 0)};
  };
  expect_same("n_step_lstm", f, {x}, 13);
  const onnx::ModelFile file = onnx::read_model(onnx::export_function(f, {x}, {.dynamic_batch = false}), {}, "lstm");
  EXPECT_EQ(
      std::count_if(file.nodes.begin(), file.nodes.end(), [](const onnx::Node& n) { return n.op_type == "LSTM"; }), 2);
}

TEST(what_onnx_cannot_say_is_named) {
  const Variable m = numbers({3, 4});
  EXPECT_THROW(ValueError, "function digamma",
               onnx::export_function([](const Variables& x) { return Variables{F::digamma(x[0])}; }, {m}));
  EXPECT_THROW(
      ValueError, "depends on the inputs",
      onnx::export_function(
          [](const Variables& x) { return Variables{x[0] * Variable((x[0].array() > 0).astype(float32), false)}; },
          {m}));
  EXPECT_THROW(ValueError, "an index depends on the inputs",
               onnx::export_function(
                   [](const Variables& x) { return Variables{F::get_item(x[0], {argmax(x[0].array(), 0)})}; }, {m}));
  EXPECT_THROW(ValueError, "operator sets 13 to 28",
               onnx::export_function([](const Variables& x) { return x; }, {m}, {.opset = 7}));
}

TEST(large_weights_lie_beside_the_file) {
  using test::folder;
  L::Linear l(20, 30);
  const Variable x = numbers({2, 20});
  onnx::export_model(l, {x}, folder / "l.onnx", {.external_data_from = 1000});
  EXPECT(std::filesystem::file_size(folder / "l.onnx.data") >= 2400);
  EXPECT(std::filesystem::file_size(folder / "l.onnx") < 1000);
  onnx::Model model(folder / "l.onnx");
  EXPECT_CLOSE(model(x).array(), l(x).array());
}
