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
