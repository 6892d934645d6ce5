// SPDX-License-Identifier: MIT
// Exported files with batch lengths other than that of the export.
#include <chainer/chainer.h>
#include <chainer/onnx/model_file.h>

#include "drawn.h"
#include "test.h"

using namespace chainer;

namespace {

using Run = std::function<Variables(const Variables&)>;

// Returns inputs with another batch length: other numbers, and valid labels.
Variables with_batch(const Variables& inputs, int64_t n) {
  Variables out;
  uint32_t seed = 10;
  for (const Variable& v : inputs) {
    Shape s = v.shape();
    s[0] = n;
    if (is_floating(v.dtype())) {
      out.push_back(drawn(s, ++seed));
    } else {
      const Array rows = take(v.array(), (arange(n) + 1) % v.shape()[0], 0);
      out.push_back(Variable(rows, false));
    }
  }
  return out;
}

// Checks that the file is declared for any batch length and computes the same as the program for several.
void any_batch(const std::string& name, const Run& f, const Variables& in,
               const std::function<std::string()>& made = {}) {
  try {
    const int64_t warnings = warning_count();
    onnx::Model model = onnx::Model::from_bytes(made ? made() : onnx::export_function(f, in));
    EXPECT_EQ(warning_count(), warnings);
    for (const onnx::TensorInfo& t : model.inputs()) EXPECT_EQ((*t.shape)[0], -1);
    UsingConfig test_mode(&Config::train, false);
    for (const int64_t n : {1, 2, 3, 5, 8}) {
      const Variables other = with_batch(in, n);
      const Variables y = model.call(other), expected = f(other);
      EXPECT_EQ(y.size(), expected.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        testing::assert_allclose(y[i].array(), expected[i].array(), {.atol = 1e-5, .rtol = 1e-5});
    }
    ++test::expectations;
  } catch (const std::exception& e) { test::fail(__FILE__, __LINE__, name + ": " + e.what()); }
}

void any_batch_of(const std::string& name, Link& link, const Variables& in) {
  any_batch(
      name, [&](const Variables& x) { return link.clone(CopyMode::share)->call(x); }, in,
      [&] { return onnx::export_model(link, in); });
}

#define ANY_BATCH(EXPRESSION, ...) \
  any_batch(                       \
      #EXPRESSION, [](const Variables& x) { return Variables{EXPRESSION}; }, Variables{__VA_ARGS__})

struct Last : Chain {
  L::LSTM lstm{4, 3};
  L::Linear out{3, 2};
  CHAINER_MEMBERS(Last, lstm, out);
  Variable forward(const Variable& x) {
    Variable h;
    for (int64_t t = 0; t < 2; ++t) h = lstm(x[{Slice(), t}]);
    return out(h);
  }
};

}  // namespace

TEST(what_depends_on_the_batch_is_computed) {
  const Variable m = drawn({3, 4}), n = drawn({3, 4}, 1), one = drawn({1, 4}), cube = drawn({3, 2, 4}),
                 image = drawn({3, 4, 6, 5}), labels(array({1, 0, 3}), false);
  ANY_BATCH(F::average(x[0]), m);
  ANY_BATCH(F::average(x[0], 0), m);
  ANY_BATCH(F::mean_squared_error(x[0], x[1]), m, n);
  ANY_BATCH(F::normalize(x[0]), m);
  ANY_BATCH(F::scale(x[0], x[1], 0), cube, cube);
  ANY_BATCH(F::bias(x[0], x[1], 0), cube, Variable(m[{ellipsis, Slice(0, 2)}].array().copy(), false));
  ANY_BATCH(F::tile(x[0], {2, 1}), m);
  ANY_BATCH(F::tile(x[0], {3, 2}), one);
  ANY_BATCH(F::stack({x[0], x[1]}, 0), m, n);
  ANY_BATCH(F::expand_dims(x[0], 0), one);
  ANY_BATCH(F::expand_dims(x[0], 0), m);
  ANY_BATCH(F::broadcast_to(Variable(array({1.f, 2.f, 3.f, 4.f})), x[0].shape()) * x[0], m);
  ANY_BATCH(F::broadcast_to(F::sum(x[0], 0), x[0].shape()), m);
  ANY_BATCH(F::reshape(x[0], {x[0].shape(0) * 2, 4}), cube);
  ANY_BATCH(F::reshape(x[0], {-1, 4}), cube);
  ANY_BATCH(F::reshape(F::reshape(x[0], {2, -1}), {x[0].shape(0), 4}), m);
  ANY_BATCH(F::softmax_cross_entropy(x[0], x[1]), m, labels);
  ANY_BATCH(F::softmax_cross_entropy(x[0], x[1], {.normalize = false}), m, labels);
  ANY_BATCH(F::select_item(x[0], x[1]), m, labels);
  ANY_BATCH(F::resize_images(x[0], {3, 7}), image);
  ANY_BATCH(F::layer_normalization(x[0], Variable(ones({4})), Variable(zeros({4}))), m);
  ANY_BATCH(F::group_normalization(x[0], 2, Variable(arange(4).astype(float32)), Variable(ones({4}))), image);
  ANY_BATCH(x[0][-1] + F::sum(x[0][{Slice(0, x[0].shape(0) - 1)}], 0), F::concat({m, n}, 0));
  ANY_BATCH(x[0] * Variable(zeros(x[0].shape()) + 2.f, false), m);
  ANY_BATCH(x[0] + Variable(arange(x[0].shape(0)).astype(float32).reshape({-1, 1}), false), m);
  ANY_BATCH(F::sum(x[0] * x[0]) * (1.0 / static_cast<double>(x[0].size())) + static_cast<double>(x[0].shape(0)), m);
}

TEST(links_are_exported_for_any_batch) {
  L::Linear linear(4, 3);
  any_batch("Linear over two axes", [&](const Variables& x) { return Variables{linear(x[0], 2)}; }, {drawn({3, 2, 4})});
  L::Scale scale(1, Shape{4});
  any_batch_of("Scale", scale, {drawn({3, 4, 2})});
  Last lstm;
  any_batch_of("LSTM", lstm, {drawn({3, 2, 4})});
  // An export does not change the state of the model.
  UsingConfig test_mode(&Config::train, false);
  EXPECT(!lstm.lstm.h);
}

TEST(a_batch_that_is_fixed_is_declared_and_warned_of) {
  const Variables in = {drawn({3, 4})};
  const Run f = [](const Variables& x) {
    Variables rows;
    for (const Variable& row : F::separate(x[0], 0)) rows.push_back(F::tanh(row));
    return Variables{F::stack(rows, 0)};
  };
  const int64_t warnings = warning_count();
  onnx::Model model = onnx::Model::from_bytes(onnx::export_function(f, in));
  EXPECT_EQ(warning_count(), warnings + 1);
  EXPECT_EQ((*model.inputs()[0].shape)[0], 3);
  EXPECT_EQ((*model.outputs()[0].shape)[0], 3);
  onnx::export_function(f, in, {.dynamic_batch = false});
  EXPECT_EQ(warning_count(), warnings + 1);
}
