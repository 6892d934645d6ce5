// SPDX-License-Identifier: MIT
// Exports with free lengths of axes other than the batch.
#include <chainer/chainer.h>

#include "drawn.h"
#include "test.h"

using namespace chainer;

namespace {

using Run = std::function<Variables(const Variables&)>;
using Axis = onnx::DynamicAxis;

Variables with_shapes(const std::vector<Shape>& shapes) {
  Variables out;
  uint32_t seed = 20;
  for (const Shape& s : shapes) out.push_back(drawn(s, ++seed));
  return out;
}

// The file computes what the program does at each of these shapes.
void expect_shapes(const std::string& name, onnx::Model& model, const Run& f,
                   const std::vector<std::vector<Shape>>& shapes) {
  UsingConfig test_mode(&Config::train, false);
  for (const auto& s : shapes) {
    try {
      const Variables in = with_shapes(s);
      const Variables y = model.call(in), expected = f(in);
      EXPECT_EQ(y.size(), expected.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        testing::assert_allclose(y[i].array(), expected[i].array(), {.atol = 1e-5, .rtol = 1e-5});
      ++test::expectations;
    } catch (const std::exception& e) {
      test::fail(__FILE__, __LINE__, text(name, " with inputs of shape ", s[0], ": ", e.what()));
    }
  }
}

void free_axes(const std::string& name, const Run& f, const std::vector<Shape>& example, const std::vector<Axis>& axes,
               const std::vector<std::vector<Shape>>& shapes) {
  const int64_t warnings = warning_count();
  onnx::Model model = onnx::Model::from_bytes(onnx::export_function(f, with_shapes(example), {.dynamic_axes = axes}));
  EXPECT_EQ(warning_count(), warnings);
  for (const Axis& a : axes) EXPECT_EQ((*model.inputs()[a.input].shape)[static_cast<std::size_t>(a.axis)], -1);
  expect_shapes(name, model, f, shapes);
}

const std::vector<Axis> kImage = {{"height", 0, 2}, {"width", 0, 3}};

struct Pyramid : Chain {
  L::Convolution2D c1{3, 4, 3, {.stride = 2, .pad = 1}}, c2{4, 5, 4, {.stride = 3}};
  L::BatchNormalization bn{4};
  L::Linear out{5, 2};
  CHAINER_MEMBERS(Pyramid, c1, c2, bn, out);
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(bn(c1(x))), 3, {.stride = 2});  // cover_all
    h = F::average_pooling_2d(h, 2, {.stride = 1, .pad = 1});
    h = c2(F::max_pooling_2d(h, 3, {.stride = 1, .pad = 1}));
    return out(F::average(h, {2, 3}));
  }
};

struct UNet : Chain {
  L::Convolution2D down1{1, 3, 3, {.pad = 1}}, down2{3, 4, 3, {.stride = 2, .pad = 1}},
      down3{4, 4, 3, {.stride = 2, .pad = 1}}, join{7, 1, 3, {.pad = 1}};
  L::Deconvolution2D up{4, 4, 2, {.stride = 2}};
  CHAINER_MEMBERS(UNet, down1, down2, down3, up, join);
  Variable forward(const Variable& x) {
    const Variable a = F::relu(down1(x)), b = F::relu(down2(a)), c = F::relu(down3(b));
    const Variable d = F::resize_images(up(c), {a.shape()[2], a.shape()[3]});
    return join(F::concat({d, a}));
  }
};

// Self-attention over time, with positions and a mean over time.
struct Attention : Chain {
  L::Linear q{4, 4}, k{4, 4}, v{4, 3};
  CHAINER_MEMBERS(Attention, q, k, v);
  Variable forward(const Variable& x) {
    const int64_t time = x.shape()[1];
    const Variable h =
        x + Variable(arange(time).astype(float32).reshape({1, -1, 1}) / static_cast<double>(8), false) * 0.5;
    const Variable scores = F::matmul(q(h, 2), k(h, 2), {.transb = true}) / 2.0;
    const Variable y = F::matmul(F::softmax(scores, 2), v(h, 2));
    return F::sum(y, 1) / static_cast<double>(time) + F::max(y, 1) + y[{Slice(), -1}];
  }
};

// Words as ids, two layers in both directions, and the last state.
struct Reader : Chain {
  L::EmbedID words{9, 3};
  L::NStepBiLSTM lstm{2, 3, 4, 0.1};
  L::NStepGRU gru{1, 8, 5, 0.1};
  L::Linear out{5, 2};
  CHAINER_MEMBERS(Reader, words, lstm, gru, out);
  Variable forward(const Variable& ids) {
    const Variable h = gru.forward_batch(lstm.forward_batch(words(ids)).y).hy[0];
    return out(h);
  }
};

struct Positions : Chain {
  L::EmbedID table{8, 4};
  CHAINER_MEMBERS(Positions, table);
  Variable forward(const Variable& x) {
    return x + F::broadcast_to(table(Variable(arange(x.shape()[1]).astype(int32), false)), x.shape());
  }
};

}  // namespace

TEST(images_of_any_size_pass_an_exported_network) {
  Pyramid net;
  const Run f = [&](const Variables& x) { return Variables{net(x[0])}; };
  const std::vector<std::vector<Shape>> shapes = {
      {{1, 3, 32, 40}}, {{2, 3, 33, 21}}, {{3, 3, 47, 64}}, {{1, 3, 20, 22}}};
  UsingConfig test_mode(&Config::train, false);
  free_axes("Pyramid", f, {{2, 3, 32, 40}}, kImage, shapes);
  free_axes("Pyramid", f, {{2, 3, 25, 25}}, kImage, shapes);
  free_axes("Pyramid", f, {{2, 3, 32, 40}}, {{"height", 0, 2}}, {{{1, 3, 21, 40}}, {{2, 3, 64, 40}}});
}

TEST(networks_that_take_multiples_only_are_exported) {
  UNet net;
  const Run f = [&](const Variables& x) { return Variables{net(x[0])}; };
  free_axes("UNet", f, {{1, 1, 16, 24}}, kImage, {{{1, 1, 16, 24}}, {{2, 1, 8, 12}}, {{1, 1, 20, 44}}});
}

TEST(sequences_of_any_length_pass_an_exported_network) {
  Attention net;
  const Run f = [&](const Variables& x) { return Variables{net(x[0])}; };
  free_axes("Attention", f, {{2, 6, 4}}, {{"time", 0, 1}}, {{{2, 6, 4}}, {{1, 1, 4}}, {{3, 17, 4}}, {{6, 4, 4}}});
  // At most eight positions: shorter sequences are tried.
  Positions eight;
  const Run positions = [&](const Variables& x) { return Variables{eight(x[0])}; };
  const std::vector<std::vector<Shape>> shapes = {{{2, 8, 4}}, {{1, 1, 4}}, {{3, 5, 4}}};
  free_axes("positions", positions, {{2, 8, 4}}, {{"time", 0, 1}}, shapes);
  onnx::Model model =
      onnx::Model::from_bytes(onnx::export_model(eight, with_shapes({{2, 8, 4}}), {.dynamic_axes = {{"time", 0, 1}}}));
  expect_shapes("Positions", model, positions, shapes);
}

TEST(recurrent_networks_are_exported_for_any_batch_and_time) {
  Reader net;
  const auto ids = [](const Shape& s) {
    return Variable((arange(s.product()) * 5 % 9).astype(int32).reshape(s), false);
  };
  onnx::Model model =
      onnx::Model::from_bytes(onnx::export_model(net, {ids({2, 6})}, {.dynamic_axes = {{"time", 0, 1}}}));
  EXPECT(*model.inputs()[0].shape == (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(model.operator_count(),
            onnx::Model::from_bytes(onnx::export_model(net, {ids({2, 12})}, {.dynamic_axes = {{"time", 0, 1}}}))
                .operator_count());
  UsingConfig test_mode(&Config::train, false);
  for (const Shape& s : {Shape{2, 6}, Shape{1, 1}, Shape{5, 13}, Shape{3, 4}})
    EXPECT_CLOSE(model.forward(ids(s)).array(), net(ids(s)).array(), {.atol = 1e-5, .rtol = 1e-5});
}

TEST(lengths_that_follow_from_several_free_ones_are_computed) {
  const auto function = [](auto f) { return Run([f](const Variables& x) { return Variables{f(x)}; }); };
  const std::vector<std::vector<Shape>> images = {{{2, 3, 5, 7}}, {{1, 3, 4, 4}}, {{3, 3, 9, 6}}};
  const auto image = [&](const std::string& name, const Run& f) { free_axes(name, f, {{2, 3, 6, 5}}, kImage, images); };
  image("pixels", function([](const Variables& x) {
          const Shape s = x[0].shape();
          return F::sum(F::reshape(x[0], {s[0], s[1], s[2] * s[3]}), 2) / static_cast<double>(s[2] * s[3]);
        }));
  image("rows", function([](const Variables& x) {
          const Shape s = x[0].shape();
          return F::reshape(F::transpose(x[0], {0, 2, 3, 1}), {s[0] * s[2] * s[3], s[1]});
        }));
  image("half", function([](const Variables& x) { return x[0][{ellipsis, Slice(0, x[0].shape()[3] / 2)}] * 2.f; }));
  image("reflected", function([](const Variables& x) {
          return F::pad(x[0], {{0, 0}, {0, 0}, {2, 1}, {1, 2}}, "reflect");
        }));
  image("global", function([](const Variables& x) {
          const Shape s = x[0].shape();
          return F::max_pooling_2d(x[0], {s[2], s[3]}) + F::average_pooling_2d(x[0], {s[2], s[3]});
        }));
  // The batch may be another axis than the first.
  free_axes("time first",
            function([](const Variables& x) { return F::sum(x[0], 0) / static_cast<double>(x[0].shape()[0]); }),
            {{6, 2, 4}}, {{"time", 0, 0}, {"batch", 0, 1}}, {{{6, 2, 4}}, {{1, 5, 4}}, {{9, 1, 4}}});
  free_axes("batch second", function([](const Variables& x) { return F::sum(x[0], 0) * 2.0; }), {{6, 2, 4}},
            {{"batch", 0, 1}}, {{{6, 2, 4}}, {{6, 5, 4}}});
  // Two inputs of one length.
  const Run both = function([](const Variables& x) { return F::matmul(x[0], x[1], {.transb = true}); });
  free_axes("two inputs", both, {{2, 5, 4}, {2, 5, 4}}, {{"time", 0, 1}, {"time", 1, 1}},
            {{{1, 3, 4}, {1, 3, 4}}, {{2, 8, 4}, {2, 8, 4}}});
  free_axes("two lengths", both, {{2, 5, 4}, {2, 5, 4}}, {{"from", 0, 1}, {"to", 1, 1}},
            {{{1, 3, 4}, {1, 6, 4}}, {{2, 8, 4}, {2, 2, 4}}});
}

TEST(an_axis_that_cannot_be_free_is_refused_with_the_reason) {
  const Variables in = with_shapes({{2, 6, 4}});
  const auto refused = [&](const Run& f, const std::vector<Axis>& axes, const std::string& message) {
    EXPECT_THROW(ValueError, message, onnx::export_function(f, in, {.dynamic_axes = axes}));
  };
  const Run loop = [](const Variables& x) {
    Variable h = x[0][{Slice(), 0}];
    for (int64_t t = 1; t < x[0].shape()[1]; ++t) h = F::tanh(h + x[0][{Slice(), t}]);
    return Variables{h};
  };
  refused(loop, {{"time", 0, 1}}, "the called functions");
  const Run branch = [](const Variables& x) {
    return Variables{x[0].shape()[1] < 7 ? F::tanh(x[0]) : F::sigmoid(x[0])};
  };
  refused(branch, {{"time", 0, 1}}, "dynamic_axes: ");
  refused(branch, {{"time", 1, 1}}, "input 1");
  refused(branch, {{"time", 0, 1}, {"time", 0, 2}}, "lengths 6 and 4");
  refused(branch, {{"time", 0, 1}, {"steps", 0, 1}}, "has the names 'time' and 'steps'");
  EXPECT_THROW(IndexError, "axis 3", onnx::export_function(branch, in, {.dynamic_axes = {{"time", 0, 3}}}));
}

TEST(prepared_networks_take_images_of_any_size) {
  Pyramid net;
  const Variable x = drawn({1, 3, 32, 40});
  const inference::Prepared ready = inference::prepare(net, {x}, {.dynamic_axes = kImage});
  UsingConfig test_mode(&Config::train, false);
  for (const Shape& s : {Shape{1, 3, 32, 40}, Shape{4, 3, 25, 33}, Shape{1, 3, 64, 21}, Shape{4, 3, 25, 33}}) {
    const Variable image = drawn(s, 7);
    EXPECT_CLOSE(ready(image.array()), net(image).array(), {.atol = 1e-5, .rtol = 1e-5});
  }
  EXPECT_THROW(TypeError, "not prepared", inference::prepare(net, {x})(drawn({1, 3, 33, 40}).array()));
}
