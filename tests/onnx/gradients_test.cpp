// SPDX-License-Identifier: MIT
// Gradients of imported operators that select, combine or fill elements.
#include <chainer/chainer.h>

#include "built.h"
#include "test.h"

using namespace chainer;
using namespace onnx_built;

namespace {

Array real(const Shape& s, uint32_t seed) { return random::RandomState(seed).randn(s, float64); }
Array ints(std::initializer_list<int64_t> v) { return array(v).astype(int64); }
onnx::Attribute reduction(const char* v) { return onnx::attribute("reduction", std::string(v)); }

// A model of one operator for inputs with these dtypes.
onnx::Model single(std::string type, Attributes attributes, const Arrays& inputs) {
  Named named;
  std::vector<std::string> names;
  for (const Array& a : inputs) {
    names.push_back(text("x", names.size()));
    named.emplace_back(names.back(), a.dtype());
  }
  return model_of({op(std::move(type), names, {"y"}, std::move(attributes))}, {}, named, {{"y", float64}}, 18);
}

// Compares gradients of floating inputs with differences, and the result with that of inputs without gradients.
void check(std::string type, Attributes attributes, const Arrays& inputs) {
  onnx::Model model = single(std::move(type), std::move(attributes), inputs);
  const auto f = [&](const Variables& x) { return Variables{model.call(x)[0]}; };
  Variables x, without;
  for (const Array& a : inputs) {
    x.push_back(Variable(a, is_floating(a.dtype())));
    without.push_back(Variable(a, false));
  }
  const Array y = f(x)[0].array();
  EXPECT_CLOSE(y, f(without)[0].array());
  gradient_check::check_backward(f, inputs, {real(y.shape(), 9)});
}

}  // namespace

TEST(scattered_elements_have_gradients) {
  for (const char* how : {"none", "add", "mul", "max", "min"}) {
    check("ScatterElements", {reduction(how)}, {real({5}, 1), ints({1, 1, 3, -4, 1, 3}), real({6}, 2)});
    check("ScatterElements", {reduction(how), whole("axis", 1)},
          {real({2, 3}, 1), ints({0, 0, 2, 1, 1, 1}).reshape({2, 3}), real({2, 3}, 2)});
    check("ScatterND", {reduction(how)}, {real({4, 2}, 3), ints({1, 3, 1}).reshape({3, 1}), real({3, 2}, 4)});
    check("ScatterND", {reduction(how)}, {real({3}, 3), zeros({0, 1}, int64), real({0}, 4)});
  }
  // A product with a zero.
  check("ScatterElements", {reduction("mul")}, {real({3}, 1), ints({1, 1, 1}), array({0.0, 2.0, 3.0})});
}

TEST(the_last_of_several_updates_counts_and_has_the_gradient) {
  for (const char* type : {"ScatterElements", "ScatterND"}) {
    const bool tuples = std::string(type) == "ScatterND";
    const Variable x(zeros({4}, float64)), updates(array({5.0, 6.0, 7.0})),
        at(ints({1, 1, 2}).reshape(tuples ? Shape{3, 1} : Shape{3}), false);
    onnx::Model model = single(type, {}, {x.array(), at.array(), updates.array()});
    const Variable y = model.call(Variables{x, at, updates})[0];
    EXPECT_CLOSE(y.array(), array({0.0, 6.0, 7.0, 0.0}));
    F::sum(y).backward();
    EXPECT_CLOSE(x.grad(), array({1.0, 0.0, 0.0, 1.0}));
    EXPECT_CLOSE(updates.grad(), array({0.0, 1.0, 1.0}));
    // Replayed without backpropagation, other places are written.
    UsingConfig no_graph(&Config::enable_backprop, false);
    for (const int64_t i : {0, 3, 2, 1}) {
      const Variable other(full(at.shape(), i, int64), false);
      Array expected = zeros({4}, float64);
      set_item(expected, {i}, array(7.0));
      EXPECT_CLOSE(model.call(Variables{x, other, updates})[0].array(), expected);
    }
  }
}

TEST(exports_of_repeated_places_are_possible) {
  onnx::Model model =
      model_of({op("Relu", {"x"}, {"h"}), op("ScatterElements", {"h", "at", "u"}, {"y"})},
               {{"at", ints({1, 1, 2})}, {"u", array({5.f, 6.f, 7.f})}}, {{"x", float32}}, {{"y", float32}});
  const Variable x(array({1.f, -2.f, 3.f, 4.f}));
  onnx::Model again = onnx::Model::from_bytes(onnx::export_model(model, {x}, {.dynamic_batch = false}));
  EXPECT_CLOSE(again(x).array(), array({1.f, 6.f, 7.f, 4.f}));
}

TEST(parameters_of_operators_have_gradients) {
  const Array positive = chainer::absolute(real({3, 2}, 1)) + 0.5;
  check("Pow", {}, {positive, real({3, 2}, 2)});
  check("Pad", {}, {real({2, 3}, 1), ints({1, 0, 0, 2}), array(1.5)});
  onnx::Model pad = single("Pad", {}, {real({2}, 1), ints({1, -1}), array(0.0)});
  EXPECT_CLOSE(
      pad.call(Variables{array({3.0, 4.0}), Variable(ints({1, -1}), false), Variable(array(-HUGE_VAL))})[0].array(),
      array({-HUGE_VAL, 3.0}));
  check("Clip", {}, {real({8}, 1), array(-0.4), array(0.3)});
  check("OneHot", {}, {ints({0, 2, -1}), ints({4}), array({0.5, 2.0})});
  check("Range", {}, {array(0.25), array(2.0), array(0.5)});
  check("Unique", {}, {array({0.5, 2.0, -1.0})});
  for (const char* how : {"none", "sum", "mean"})
    for (const char* type : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"})
      check(type, {reduction(how), whole("ignore_index", 1)},
            {real({4, 3}, 1), ints({0, 2, 1, 2}), chainer::absolute(real({3}, 2)) + 0.5});
}

TEST(exponents_and_scales_of_another_dtype_have_gradients) {
  onnx::Model power = model_of({op("Pow", {"a", "b"}, {"y"})}, {}, {{"a", float64}, {"b", float32}}, {{"y", float64}});
  const Variable a(array({2.0, 3.0})), b(array({1.5f, 2.f}));
  F::sum(power.call(Variables{a, b})[0]).backward();
  EXPECT_CLOSE(b.grad(), chainer::power(a.array(), b.array().astype(float64)).astype(float32) *
                             chainer::log(a.array()).astype(float32));
  onnx::Model dequantize = model_of({op("DequantizeLinear", {"q", "scale", "zero"}, {"y"}, {whole("axis", 0)})}, {},
                                    {{"q", uint8}, {"scale", float32}, {"zero", uint8}}, {{"y", float32}});
  const Array q = array({{1, 2}, {7, 9}}).astype(uint8), zero = array({2, 3}).astype(uint8);
  const Variable scale(array({0.5f, 0.25f}));
  const Variable y = dequantize.call(Variables{Variable(q, false), scale, Variable(zero, false)})[0];
  EXPECT_CLOSE(y.array(), array({{-0.5f, 0.f}, {1.f, 1.5f}}));
  F::sum(y).backward();
  EXPECT_CLOSE(scale.grad(), array({-1.f, 10.f}));
}
