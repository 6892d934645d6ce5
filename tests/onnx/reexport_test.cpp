// SPDX-License-Identifier: MIT
// Exports of imported models, and exports that must fail.
#include <chainer/chainer.h>
#include <chainer/onnx/model_file.h>

#include "built.h"
#include "drawn.h"
#include "test.h"

using namespace chainer;

using namespace onnx_built;

namespace {

// Exported alone and as part of a computation, the model computes the same on new inputs.
void comes_back(const std::string& name, onnx::Model model, const Variables& in, const std::vector<Variables>& others) {
  try {
    const std::string alone = onnx::export_model(model, in);
    const std::string inside =
        onnx::export_function([&](const Variables& x) { return model.call(x); }, in, {.dynamic_batch = false});
    UsingConfig test_mode(&Config::train, false);
    for (const std::string& bytes : {alone, inside}) {
      onnx::Model read = onnx::Model::from_bytes(bytes);
      for (const Variables& other : others) {
        const Variables y = read.call(other), expected = model.call(other);
        EXPECT_EQ(y.size(), expected.size());
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_CLOSE(y[i].array(), expected[i].array());
      }
    }
  } catch (const std::exception& e) { test::fail(__FILE__, __LINE__, name + ": " + e.what()); }
}

void comes_back(const std::string& name, onnx::Model model) {
  comes_back(name, std::move(model), {drawn({3, 4})}, {{drawn({3, 4}, 1)}, {drawn({3, 4}, 2) * 2.f}});
}

}  // namespace

TEST(operators_without_a_gradient_come_back) {
  for (const std::string type : {"Floor", "Ceil", "Sign", "Round", "Relu", "Asinh", "ThresholdedRelu"})
    comes_back(type, model_of({op(type, {"x"}, {"y"})}, {}, {{"x", float32}}, {{"y", float32}}));
  comes_back("ArgMax", model_of({op("ArgMax", {"x"}, {"y"})}, {}, {{"x", float32}}, {{"y", int64}}));
  const std::pair<std::string, Array> zero = {"zero", zeros({})};
  comes_back("Greater", model_of({op("Greater", {"x", "zero"}, {"y"})}, {zero}, {{"x", float32}}, {{"y", bool_}}));
  comes_back("PRelu", model_of({op("PRelu", {"x", "slope"}, {"y"})}, {{"slope", full({4}, 0.25f, float32)}},
                               {{"x", float32}}, {{"y", float32}}));
  const std::vector<std::pair<std::string, Array>> scale = {{"scale", full({}, 0.125f, float32)},
                                                            {"point", zeros({}, int8)},
                                                            {"W", random::RandomState(3).randn({4, 2}, float32)}};
  comes_back("a quantized product",
             model_of({op("QuantizeLinear", {"x", "scale", "point"}, {"q"}),
                       op("DequantizeLinear", {"q", "scale", "point"}, {"d"}), op("MatMul", {"d", "W"}, {"y"})},
                      scale, {{"x", float32}}, {{"y", float32}}));
}

TEST(outputs_without_a_declared_shape_get_their_number_of_axes) {
  onnx::ModelFile f;
  f.ir_version = 8;
  f.opsets[""] = 13;
  f.nodes = {op("ReduceMax", {"x"}, {"y"})};
  f.inputs = {{"x", onnx::element_type(float32), true, {{-1, "n"}, {4, ""}}}};
  f.outputs = {{"y", onnx::element_type(float32), false, {}}};
  onnx::Model model = onnx::Model::from_bytes(onnx::write_model(f));
  const onnx::Model again = onnx::Model::from_bytes(onnx::export_model(model, {drawn({3, 4})}));
  EXPECT(again.outputs()[0].shape.has_value() && *again.outputs()[0].shape == Shape({-1, -1}));
}

TEST(integers_are_inputs_as_others) {
  const Variable x = drawn({3, 4}), mask(ones({3, 4}, bool_), false),
                 other(array({{true, false, true, false}}) & ones({3, 4}, bool_), false);
  comes_back("Where",
             model_of({op("Where", {"mask", "x", "none"}, {"y"})}, {{"none", zeros({})}},
                      {{"mask", bool_}, {"x", float32}}, {{"y", float32}}),
             {mask, x}, {{other, x}});
  const Variable ids(array({0, 1, 1}).astype(int64), false), others(array({1, 0, 0}).astype(int64), false);
  comes_back("a cast of integers",
             model_of({op("Cast", {"ids"}, {"f"}, {whole("to", 1)}), op("Exp", {"f"}, {"y"})}, {}, {{"ids", int64}},
                      {{"y", float32}}),
             {ids}, {{others}});
  comes_back("ScatterND",
             model_of({op("ScatterND", {"x", "at", "updates"}, {"y"})}, {{"updates", full({1, 4}, 7.f, float32)}},
                      {{"x", float32}, {"at", int64}}, {{"y", float32}}),
             {x, Variable(zeros({1, 1}, int64), false)}, {{x, Variable(full({1, 1}, 2, int64), false)}});
}

TEST(all_outputs_are_exported) {
  onnx::Model model = model_of({op("Split", {"x"}, {"a", "b"}, {whole("axis", 1)})}, {}, {{"x", float32}},
                               {{"a", float32}, {"b", float32}});
  EXPECT_EQ(model.call(Variables{drawn({3, 4})}).size(), 2u);
  comes_back("Split", model.copy());
  onnx::Model again =
      onnx::Model::from_bytes(onnx::export_model(model, {drawn({3, 4})}, {.output_names = {"left", "right"}}));
  EXPECT_EQ(again.outputs().size(), 2u);
  EXPECT_EQ(again.outputs()[1].name, "right");
  EXPECT_THROW(ValueError, "3 output_names for 2 outputs",
               onnx::export_model(model, {drawn({3, 4})}, {.output_names = {"a", "b", "c"}}));
  EXPECT_THROW(ValueError, "2 input_names for 1 inputs",
               onnx::export_model(model, {drawn({3, 4})}, {.input_names = {"a", "b"}}));
}

TEST(older_operators_are_written_in_newer_sets) {
  onnx::Attribute axes = whole("axes", 0);
  axes.kind = onnx::Attribute::Kind::integers;
  axes.integers = {1};
  const auto check = [](onnx::Model model) {
    const Variable x = drawn({3, 4}), other = drawn({3, 4}, 5);
    onnx::Model own = onnx::Model::from_bytes(onnx::export_model(model, {x}));
    EXPECT_EQ(own.opset(), model.opset());
    onnx::Model newer = onnx::Model::from_bytes(onnx::export_model(model, {x}, {.opset = 18}));
    EXPECT_EQ(newer.opset(), 18);
    UsingConfig test_mode(&Config::train, false);
    EXPECT_CLOSE(newer(other).array(), model(other).array());
  };
  const Named x = {{"x", float32}}, y = {{"y", float32}};
  check(model_of({op("ReduceSum", {"x"}, {"y"}, {axes})}, {}, x, y, 11));
  check(model_of({op("Softmax", {"x"}, {"y"})}, {}, x, y, 9));
  check(model_of({op("ReduceMean", {"x"}, {"y"}, {axes})}, {}, x, y, 13));
  onnx::Model young = model_of({op("Relu", {"x"}, {"y"})}, {}, x, y, 18);
  EXPECT_THROW(ValueError, "of set 18", onnx::export_model(young, {drawn({3, 4})}, {.opset = 13}));
}

TEST(renamed_values_and_new_defaults_are_written_in_newer_sets) {
  const auto mode = [](const char* v) { return onnx::attribute("mode", std::string(v)); };
  const auto upgraded = [](onnx::Model model, const Variables& in, int64_t opset) {
    const std::string bytes = onnx::export_model(model, in, {.opset = opset});
    onnx::Model newer = onnx::Model::from_bytes(bytes);
    UsingConfig test_mode(&Config::train, false);
    const Variable y = newer.call(in)[0], expected = model.call(in)[0];
    EXPECT_CLOSE(y.array(), expected.array());
    return onnx::read_model(bytes, ".", "it").nodes;
  };
  const Named x = {{"x", float32}}, y = {{"y", float32}};
  for (const int axis : {1, 2}) {
    const onnx::Node n = upgraded(model_of({op("DFT", {"x"}, {"y"}, {whole("axis", axis)})}, {}, x, y, 17),
                                  {drawn({2, 4, 3, 2})}, 20)[0];
    EXPECT(n.attributes.empty());
    EXPECT_EQ(n.inputs.size(), 3u);
  }
  for (const auto& [older, newer] : {std::pair("bilinear", "linear"), std::pair("bicubic", "cubic")}) {
    onnx::Model sampling = model_of({op("GridSample", {"x", "grid"}, {"y"}, {mode(older)})}, {},
                                    {{"x", float32}, {"grid", float32}}, y, 16);
    const onnx::Node n = upgraded(std::move(sampling), {drawn({1, 2, 4, 5}), drawn({1, 3, 3, 2}, 1)}, 20)[0];
    EXPECT_EQ(n.attributes.at(0).text, newer);
  }
  (void)upgraded(model_of({op("RoiAlign", {"x", "regions", "images"}, {"y"}, {whole("output_height", 2)})},
                          {{"regions", array({{0.f, 0.f, 3.f, 3.f}})}, {"images", zeros({1}, int64)}}, x, y, 10),
                 {drawn({1, 2, 4, 5})}, 16);
  (void)upgraded(model_of({op("GroupNormalization", {"x", "scale", "bias"}, {"y"}, {whole("num_groups", 2)})},
                          {{"scale", array({2.f, 3.f})}, {"bias", array({1.f, -1.f})}}, x, y, 18),
                 {drawn({2, 6, 3})}, 21);
  // An odd element that is cropped moved to the other end.
  (void)upgraded(model_of({op("ConvTranspose", {"x", "W"}, {"y"},
                              {integers("strides", {2, 2}), integers("output_shape", {8, 10})})},
                          {{"W", drawn({2, 1, 3, 3}).array()}}, x, y, 10),
                 {drawn({1, 2, 4, 5})}, 13);
  EXPECT_EQ(upgraded(model_of({op("Upsample", {"x", "scales"}, {"y"}, {mode("bilinear")})},
                              {{"scales", array({1.f, 1.f, 2.f, 2.f})}}, x, y, 9),
                     {drawn({1, 2, 4, 5})}, 13)[0]
                .attributes[0]
                .text,
            "linear");
  EXPECT_EQ(upgraded(model_of({op("Dropout", {"x"}, {"y"}, {onnx::attribute("ratio", 0.25)})}, {}, x, y, 10),
                     {drawn({3, 4})}, 13)[0]
                .inputs.size(),
            2u);
}

TEST(what_functions_do_not_reach_is_refused_or_exported) {
  const Variable x = drawn({3, 4}), mask(ones({3, 4}, int64), false), positive(ones({3, 4}), false);
  using V = const Variables&;
  EXPECT_THROW(
      ValueError, "depends on the inputs",
      onnx::export_function([](V v) { return Variables{Variable(chainer::floor(v[0].array()), false)}; }, {x}));
  EXPECT_THROW(
      ValueError, "depends on the inputs",
      onnx::export_function([](V v) { return Variables{v[0] * Variable((v[1].array() > 0).astype(float32), false)}; },
                            {x, mask}));
  EXPECT_THROW(
      ValueError, "depends on the inputs",
      onnx::export_function([](V v) { return Variables{v[0] * Variable((v[0].array() > 0).astype(float32), false)}; },
                            {positive}));
  EXPECT_THROW(ValueError, "is wrong",
               onnx::export_function(
                   [](V v) {
                     return Variables{F::pad(v[0], {{0, 0}, {1, 0}}, "constant",
                                             {.constant_values = v[0].array()[0][0].item<double>()})};
                   },
                   {x}));
  // These correspond to functions or composed operators.
  const auto same = [&](const std::function<Variables(V)>& f) {
    onnx::Model model = onnx::Model::from_bytes(onnx::export_function(f, {x}));
    const Variable other = drawn({5, 4}, 7);
    EXPECT_CLOSE(model(other).array(), f({other})[0].array());
  };
  UsingConfig test_mode(&Config::train, false);
  same([](V v) { return Variables{F::pad(F::tanh(v[0]), {{0, 0}, {0, 0}}, "constant")}; });
  same([](V v) { return Variables{F::floor(v[0]) + F::ceil(v[0] * 2.0) * F::sign(v[0]) + F::fix(v[0] * 3.0)}; });
  same([](V v) { return Variables{F::argmax(v[0], 1)}; });
  same([](V v) { return Variables{F::where(F::cast(F::sign(F::relu(v[0])), bool_), v[0], v[0] * 0.5)}; });
}

TEST(weights_in_constant_nodes_are_parameters) {
  const Array W = array({{1.f, -2.f}, {0.5f, 3.f}});
  onnx::Model model = model_of({constant_node("W", W), op("Identity", {"W"}, {"V"}), op("MatMul", {"x", "V"}, {"y"})},
                               {}, {{"x", float32}}, {{"y", float32}});
  EXPECT_EQ(model.namedparams().size(), 1u);
  EXPECT_EQ(model.namedparams()[0].first, "/W");
  auto optimizer = optimizers::SGD({.lr = 0.1}).setup(model);
  const Variable x(array({{1.f, 2.f}}), false);
  model.cleargrads();
  F::sum(model(x)).backward();
  optimizer.update();
  EXPECT_CLOSE(model.params()[0].array(), W - array({{0.1f, 0.1f}, {0.2f, 0.2f}}));
}

TEST(copies_have_their_own_statistics) {
  // Computed statistics are not values of the model; training does not change them.
  const Array v = array({1.f, 4.f});
  for (const bool computed : {false, true}) {
    std::vector<onnx::Node> nodes = {constant_node("s", ones({2})), constant_node("b", zeros({2})),
                                     constant_node("m", zeros({2})), constant_node("v", v)};
    if (computed) nodes.push_back(op("Abs", {"v"}, {"w"}));
    nodes.push_back(op("BatchNormalization", {"x", "s", "b", "m", computed ? "w" : "v"}, {"y"}));
    onnx::Model model = model_of(nodes, {}, {{"x", float32}}, {{"y", float32}}), copy = model.copy(CopyMode::copy);
    const Variable x = drawn({5, 2}) + 3.0;
    const auto tested = [&](onnx::Model& m) {
      UsingConfig test_mode(&Config::train, false);
      return m(x).array().copy();
    };
    const Array before = tested(model);
    for (int i = 0; i < 3; ++i) (void)copy(x);
    EXPECT_CLOSE(tested(model), before);
  }
}

TEST(graphs_in_any_order_are_read) {
  onnx::Model model = model_of({op("Exp", {"b"}, {"y"}), op("Neg", {"a"}, {"b"}), op("Relu", {"x"}, {"a"})}, {},
                               {{"x", float32}}, {{"y", float32}});
  const Variable x(array({-1.f, 2.f}), false);
  EXPECT_CLOSE(model(x).array(), F::exp(-F::relu(x)).array());
  EXPECT_THROW(
      ValueError, "a cycle",
      model_of({op("Exp", {"b"}, {"y"}), op("Add", {"x", "y"}, {"b"})}, {}, {{"x", float32}}, {{"y", float32}}));
}

TEST(numbers_beside_an_array_have_its_dtype) {
  for (const Dtype d : {float16, float32, float64}) {
    const auto real = [](std::string name, double v) {
      onnx::Attribute a;
      a.name = std::move(name);
      a.kind = onnx::Attribute::Kind::real;
      a.real = v;
      return a;
    };
    onnx::Attribute pads;
    pads.name = "pads";
    pads.kind = onnx::Attribute::Kind::integers;
    pads.integers = {0, 1, 0, 1};
    onnx::Model old = model_of({op("Relu", {"x"}, {"h"}), op("Clip", {"h"}, {"c"}, {real("min", 0.5), real("max", 2)}),
                                op("Pad", {"c"}, {"y"}, {pads, real("value", 3)})},
                               {}, {{"x", d}}, {{"y", d}}, 9);
    const onnx::ModelFile written =
        onnx::read_model(onnx::export_model(old, {Variable(ones({2, 3}, d))}, {.opset = 13}), ".", "it");
    int floating = 0;
    for (const auto& [name, value] : written.initializers)
      if (is_floating(value.dtype())) ++floating, EXPECT_EQ(value.dtype(), d);
    EXPECT_EQ(floating, 3);
  }
}
