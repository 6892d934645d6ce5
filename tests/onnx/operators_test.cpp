// SPDX-License-Identifier: MIT
// Operators of imported models: details of the standard that are easily misread.
#include "built.h"
#include "test.h"

using namespace chainer;
using namespace onnx_built;

namespace {

onnx::Attribute reals(std::string name, std::vector<double> v) {
  onnx::Attribute a;
  a.name = std::move(name);
  a.kind = onnx::Attribute::Kind::reals;
  a.reals = std::move(v);
  return a;
}
onnx::Attribute text_of(std::string name, std::string v) {
  onnx::Attribute a;
  a.name = std::move(name);
  a.kind = onnx::Attribute::Kind::text;
  a.text = std::move(v);
  return a;
}
onnx::Attribute texts(std::string name, std::vector<std::string> v) {
  onnx::Attribute a;
  a.name = std::move(name);
  a.kind = onnx::Attribute::Kind::texts;
  a.texts = std::move(v);
  return a;
}

Array run(onnx::Model model, const Arrays& inputs) {
  const UsingConfig test_mode(&Config::train, false);
  Variables x;
  for (const Array& a : inputs) x.push_back(Variable(a, false));
  return model.call(x)[0].array();
}

}  // namespace

// If an odd number of elements is cropped, the larger half is at the start, except for SAME_UPPER; before operator set
// 11 only for SAME_UPPER.
TEST(transposed_convolutions_of_a_given_length) {
  const Array x = array({1.f, 2.f}).reshape({1, 1, 2}), W = array({1.f, 10.f, 100.f}).reshape({1, 1, 3});
  const std::vector<float> whole = {1, 12, 120, 200};  // stride 1
  for (const int64_t opset : {10, 11, 13})
    for (const char* mode : {"NOTSET", "SAME_UPPER", "SAME_LOWER"}) {
      onnx::Model m =
          model_of({op("ConvTranspose", {"x", "W"}, {"y"},
                       {integers("output_shape", {3}), text_of("auto_pad", mode), integers("strides", {1})})},
                   {{"W", W}}, {{"x", float32}}, {{"y", float32}}, opset);
      const bool from_start = std::string(mode) == "SAME_LOWER" || (std::string(mode) == "NOTSET" && opset >= 11);
      const std::vector<float> want(whole.begin() + from_start, whole.begin() + from_start + 3);
      EXPECT(run(std::move(m), {x}).to_vector<float>() == want);
    }
}

// Parameters of activations belong to the activations that have them, over both directions.
TEST(numbers_of_activations_come_in_order) {
  const Array x = full({1, 1, 1}, -2), W = ones({2, 1, 1}), R = zeros({2, 1, 1});
  onnx::Model m = model_of({op("RNN", {"x", "W", "R"}, {"y"},
                               {text_of("direction", "bidirectional"), whole("hidden_size", 1),
                                texts("activations", {"Tanh", "LeakyRelu"}), reals("activation_alpha", {0.25})})},
                           {{"W", W}, {"R", R}}, {{"x", float32}}, {{"y", float32}}, 14);
  EXPECT_CLOSE(run(std::move(m), {x}), array({std::tanh(-2.f), -0.5f}).reshape({1, 2, 1, 1}));
  onnx::Model affine = model_of({op("RNN", {"x", "W", "R"}, {"y"},
                                    {text_of("direction", "bidirectional"), whole("hidden_size", 1),
                                     texts("activations", {"LeakyRelu", "Affine"}), reals("activation_alpha", {0.5, 3}),
                                     reals("activation_beta", {7})})},
                                {{"W", W}, {"R", R}}, {{"x", float32}}, {{"y", float32}}, 14);
  EXPECT_CLOSE(run(std::move(affine), {x}), array({-1.f, 1.f}).reshape({1, 2, 1, 1}));
}

TEST(whole_numbers_of_64_bits_stay_whole) {
  const int64_t big = (int64_t(1) << 53) + 1;
  const Array x = array(std::vector<int64_t>{big, big - 1, big});
  onnx::Model distinct = model_of({op("Unique", {"x"}, {"y"})}, {}, {{"x", int64}}, {{"y", int64}}, 13);
  EXPECT(run(std::move(distinct), {x}).to_vector<int64_t>() == (std::vector<int64_t>{big - 1, big}));
  for (const auto& [reduction, want] :
       {std::pair("max", big + 2), std::pair("min", int64_t(3)), std::pair("mul", 3 * big)}) {
    const int64_t update = std::string(reduction) == "max" ? big + 2 : 3;
    onnx::Model m = model_of({op("ScatterElements", {"x", "i", "u"}, {"y"}, {text_of("reduction", reduction)})},
                             {{"i", array(std::vector<int64_t>{0})}, {"u", array(std::vector<int64_t>{update})}},
                             {{"x", int64}}, {{"y", int64}}, 18);
    EXPECT_EQ(run(std::move(m), {x})[0].item<int64_t>(), want);
  }
}

TEST(inverse_hyperbolic_functions_keep_their_ends) {
  const std::vector<float> in = {0, 1e-20f, -1e-8f, 1e-4f, 0.5f, -3, 1e7f, 2e8f, -3e19f, 3e38f};
  onnx::Model sine = model_of({op("Asinh", {"x"}, {"y"})}, {}, {{"x", float32}}, {{"y", float32}}, 13);
  onnx::Model cosine = model_of({op("Acosh", {"x"}, {"y"})}, {}, {{"x", float32}}, {{"y", float32}}, 13);
  const Array x = array(in), y = run(std::move(sine), {x}), z = run(std::move(cosine), {absolute(x) + 1});
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double v = in[i], w = static_cast<double>(std::abs(in[i]) + 1.f);
    EXPECT(std::abs(y[at].item<double>() - std::asinh(v)) <= 1e-6 * std::abs(std::asinh(v)));
    EXPECT(std::abs(z[at].item<double>() - std::acosh(w)) <= 1e-6 * std::acosh(w) + 1e-30);
  }
}

TEST(resize_weighs_neighbours_along_each_axis) {
  random::seed(0);
  // Weights of an axis by the formula of the standard, with repeated edges.
  const auto weights = [](int64_t in, double scale, bool cubic) {
    const auto out = static_cast<int64_t>(std::floor(static_cast<double>(in) * scale));
    Array m = zeros({out, in}, float64);
    for (int64_t i = 0; i < out; ++i) {
      const double at = (static_cast<double>(i) + 0.5) / scale - 0.5;
      for (auto k = static_cast<int64_t>(std::floor(at)) - 2; k <= static_cast<int64_t>(std::floor(at)) + 3; ++k) {
        const double d = std::abs(static_cast<double>(k) - at), a = -0.75;
        const double w = !cubic   ? std::max(0.0, 1 - d)
                         : d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                         : d < 2  ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                                  : 0;
        const int64_t inside = std::clamp<int64_t>(k, 0, in - 1);
        m.set({i, inside}, m[{i, inside}] + w);
      }
    }
    return m;
  };
  const Array x = random::normal(0, 1, {2, 3, 6, 9}, float32);
  for (const std::string mode : {"linear", "cubic"})
    for (const auto& [v, h] : {std::pair(2.0, 1.5), std::pair(0.5, 3.0), std::pair(0.67, 0.4), std::pair(1.0, 20.0)}) {
      onnx::Model model = model_of({op("Resize", {"x", "", "scales"}, {"y"}, {text_of("mode", mode)})},
                                   {{"scales", array({1.f, 1.f, static_cast<float>(v), static_cast<float>(h)})}},
                                   {{"x", float32}}, {{"y", float32}});
      const double sv = static_cast<float>(v), sh = static_cast<float>(h);
      const Array expected =
          matmul(matmul(weights(6, sv, mode == "cubic"), x.astype(float64)), weights(9, sh, mode == "cubic").T());
      const UsingConfig test_mode(&Config::train, false);
      const Array last = x.transpose({0, 2, 3, 1}).copy().transpose({0, 3, 1, 2});
      for (int call = 0; call < 3; ++call)  // replayed from the second one
        for (const Array& a : {x, last}) EXPECT_CLOSE(model(a).array(), expected, {.atol = 1e-5, .rtol = 1e-5});
    }
}

TEST(transforms_and_samplers_are_exported_to_their_operators) {
  random::seed(0);
  const Array re = random::normal(0, 1, {2, 3, 6}, float32), im = random::normal(0, 1, {2, 3, 6}, float32);
  const Array x = random::normal(0, 1, {2, 3, 5, 7}, float32), grid = random::uniform(-1.3, 1.3, {2, 2, 4, 6}, float32);
  const auto both = [](const Variables& in) {
    const Variables y = F::fft({in[0], in[1]});
    return F::ifft({y[0] * 0.5, y[1] + 1.0});
  };
  const auto sampled = [](const Variables& in) { return Variables{F::spatial_transformer_sampler(in[0], in[1])}; };
  for (const int64_t opset : {17, 20, 24}) {
    const auto check = [&](const std::function<Variables(const Variables&)>& f, const Variables& in) {
      onnx::Model again = onnx::Model::from_bytes(onnx::export_function(f, in, {.opset = opset}));
      const UsingConfig test_mode(&Config::train, false);
      const Variables y = again.call(in), want = f(in);
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_CLOSE(y[i].array(), want[i].array(), {.atol = 1e-5, .rtol = 1e-5});
    };
    check(both, {re, im});
    check(both, {re[0][0], im[0][0]});
    check(sampled, {x, grid});
  }
  EXPECT_THROW(ValueError, "operator set 16", onnx::export_function(sampled, {x, grid}));
}

// Operators that are equivalent to functions of the library have their results and gradients.
TEST(sampling_operators_have_gradients) {
  random::seed(1);
  const auto compare = [](onnx::Model model, const std::function<Variable(const Variables&)>& f, const Arrays& inputs,
                          std::size_t differentiable) {
    const UsingConfig test_mode(&Config::train, false);
    std::vector<Variables> gradients;
    std::vector<Array> results;
    for (const bool imported : {true, false}) {
      Variables in;
      for (std::size_t i = 0; i < inputs.size(); ++i) in.push_back(Variable(inputs[i], i < differentiable));
      const Variable y = imported ? model.call(in)[0] : f(in);
      const Variable weights(sin(arange(y.size()).astype(float32)).reshape(y.shape()), false);
      const Variables x(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(differentiable));
      gradients.push_back(grad({F::sum(y * y * weights)}, x));
      results.push_back(y.array());
    }
    EXPECT_CLOSE(results[0], results[1], {.atol = 1e-5, .rtol = 1e-5});
    for (std::size_t i = 0; i < differentiable; ++i)
      EXPECT_CLOSE(gradients[0][i].array(), gradients[1][i].array(), {.atol = 1e-4, .rtol = 1e-4});
  };
  const Array x = random::normal(0, 1, {2, 4, 5, 6}, float32);
  compare(
      model_of({op("GridSample", {"x", "g"}, {"y"}, {whole("align_corners", 1)})}, {}, {{"x", float32}, {"g", float32}},
               {{"y", float32}}, 20),
      [](const Variables& v) {
        return F::spatial_transformer_sampler(v[0], F::transpose(v[1], {0, 3, 1, 2}));
      },
      {x, random::uniform(-1.2, 1.2, {2, 3, 4, 2}, float32)}, 2);
  onnx::Attribute scale = whole("", 0);
  scale.name = "spatial_scale";
  scale.kind = onnx::Attribute::Kind::real;
  scale.real = 0.5;
  compare(
      model_of({op("RoiAlign", {"x", "r", "i"}, {"y"},
                   {whole("output_height", 2), whole("output_width", 3), whole("sampling_ratio", 2), scale,
                    text_of("coordinate_transformation_mode", "output_half_pixel")})},
               {}, {{"x", float32}, {"r", float32}, {"i", int64}}, {{"y", float32}}, 16),
      [](const Variables& v) {
        const Array yx = stack({v[1].array().T()[1], v[1].array().T()[0], v[1].array().T()[3], v[1].array().T()[2]}, 1);
        return F::roi_average_align_2d(v[0], yx, v[2].array().astype(int32), {2, 3}, 0.5,
                                       {.sampling_ratio = IntPair(2)});
      },
      {x, array({{1.f, 0.f, 7.f, 9.f}, {2.f, 3.f, 9.f, 8.f}}), array(std::vector<int64_t>{1, 0})}, 1);
  // The library keeps all horizontal offsets before the vertical ones.
  compare(
      model_of({op("DeformConv", {"x", "W", "o"}, {"y"}, {integers("pads", {1, 1, 1, 1})})}, {},
               {{"x", float32}, {"W", float32}, {"o", float32}}, {{"y", float32}}, 19),
      [](const Variables& v) {
        const Variable pairs = F::reshape(v[2], {2, 9, 2, 5, 6});
        const Variable apart =
            F::concat({F::get_item(pairs, {Slice(), Slice(), 1}), F::get_item(pairs, {Slice(), Slice(), 0})}, 1);
        return F::deformable_convolution_2d_sampler(v[0], apart, v[1], {}, {.pad = 1});
      },
      {x, random::normal(0, 1, {3, 4, 3, 3}, float32), random::uniform(-1, 1, {2, 18, 5, 6}, float32)}, 3);
}

// The elements of a cubic are clamped, not the point; half a pixel is rounded away from zero.
TEST(edges_of_regions_and_samples) {
  const Array x = array({0.f, 1.f, 4.f, 9.f}).reshape({1, 1, 1, 4}), far = array({-1.6f, 0.f}).reshape({1, 1, 1, 2});
  onnx::Model cubic =
      model_of({op("GridSample", {"x", "g"}, {"y"}, {text_of("mode", "cubic"), text_of("padding_mode", "border")})}, {},
               {{"x", float32}, {"g", float32}}, {{"y", float32}}, 20);
  // The point is at -1.7: the elements at -3, -2, -1 and 0 are all the first one.
  EXPECT_CLOSE(run(std::move(cubic), {x, far}), zeros({1, 1, 1, 1}), {.atol = 1e-6});
  onnx::Model pool =
      model_of({op("MaxRoiPool", {"x", "r"}, {"y"}, {integers("pooled_shape", {1, 1}), reals("unused", {})})}, {},
               {{"x", float32}, {"r", float32}}, {{"y", float32}}, 16);
  EXPECT_EQ(run(std::move(pool), {x, array({{0.f, 0.f, 0.f, 2.5f, 0.f}})}).item<float>(), 9.f);
}
