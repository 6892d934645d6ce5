// SPDX-License-Identifier: MIT
// User-defined kernels.
#include <chainer/core/parallel.h>
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "test.h"

using namespace chainer;
using testing::assert_allclose;

namespace {
const auto relu_or_square = [](auto a, auto b) { return a > 0 ? a : b * b; };
Array expected(const Array& x, const Array& y) { return where(greater(x, 0), x, y * y); }
}  // namespace

TEST(a_formula_runs_on_every_dtype_and_layout) {
  const Array a = random::uniform(-3, 3, {7, 300}), b = random::uniform(-3, 3, {300});
  for (Dtype d : {float32, float64, Dtype::float16, Dtype::bfloat16, int64, int32, Dtype::int8}) {
    const Array x = a.astype(d), y = b.astype(d);
    EXPECT_EQ(elementwise(relu_or_square, x, y).dtype(), d);
    assert_allclose(elementwise(relu_or_square, x, y), expected(x, y), {.atol = 1e-2, .rtol = 1e-2});
    assert_allclose(elementwise(relu_or_square, x.T(), y[{Slice(), newaxis}]), expected(x, y).T(),
                    {.atol = 1e-2, .rtol = 1e-2});
    const Slice every_other(std::nullopt, std::nullopt, -2);
    assert_allclose(elementwise(relu_or_square, x[{Slice(), every_other}], y[every_other]),
                    expected(x, y)[{Slice(), every_other}], {.atol = 1e-2, .rtol = 1e-2});
  }
  EXPECT_EQ(elementwise(relu_or_square, array(2.f), array(3.f)).item<float>(), 2.f);
  EXPECT_EQ(elementwise(relu_or_square, zeros({0, 3}), zeros({3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(elementwise(relu_or_square, array({1}), array({2.5})).dtype(), float64);
}

TEST(a_formula_may_answer_with_bool_or_several_values) {
  const Array x = array({-1.f, 2.f});
  const Array positive = elementwise([](auto v) { return v > 0; }, x);
  EXPECT_EQ(positive.dtype(), Dtype::bool_);
  EXPECT_CLOSE(positive, array({false, true}), {});
  const Arrays both = elementwise([](auto v) { return std::tuple(v + 1, v < 0); }, x);
  EXPECT_CLOSE(both[0], array({0.f, 3.f}), {});
  EXPECT_CLOSE(both[1], array({true, false}), {});
  EXPECT_EQ(elementwise([](auto a, auto b, auto c, auto d) { return a + b * c - d; }, x, x, x, x)[1].item<float>(),
            4.f);
  EXPECT_THROW(DimensionError, "elementwise", elementwise(relu_or_square, zeros({2}), zeros({3})));
  const auto only_floating = [](std::floating_point auto v) { return v; };
  EXPECT_THROW(DtypeError, "elementwise: the formula does not support int32", elementwise(only_floating, array({1})));
}

TEST(several_results_have_names) {
  const Array x = array({-1.f, 2.f});
  auto [up, negative] = elementwise([](auto v) { return std::tuple(v + 1, v < 0); }, x);
  EXPECT_CLOSE(up, array({0.f, 3.f}), {});
  EXPECT_EQ(negative.dtype(), Dtype::bool_);
  const Arrays list = elementwise([](auto v) { return std::tuple(v, v * 2, v * 3); }, x);
  EXPECT(list.size() == 3 && list[2][1].item<float>() == 6.f);
}

TEST(vector_functions_are_the_composed_ones) {
  const Array x = random::uniform(-0.9, 0.9, {1000}, float64);
  for (const Dtype d : {float32, float64, float16}) {
    const Array a = x.astype(d);
    const double tolerance = d == float64 ? 1e-14 : d == float32 ? 1e-6 : 2e-3;
    const auto check = [&](const Array& vector, const Array& composed) {
      EXPECT_EQ(vector.dtype(), d);
      EXPECT_CLOSE(vector, composed, {.atol = tolerance, .rtol = tolerance});
    };
    check(elementwise([](auto v) { return kernel::exp(v); }, a), chainer::exp(a));
    check(elementwise([](auto v) { return kernel::log1p(v); }, a), chainer::log1p(a));
    check(elementwise([](auto v) { return kernel::tanh(v) * kernel::sin(v); }, a), chainer::tanh(a) * chainer::sin(a));
    check(elementwise([](auto v) { return kernel::sigmoid(v); }, a), chainer::sigmoid(a));
  }
}

TEST(reductions_of_the_user_do_not_depend_on_threads) {
  const Array x = random::uniform(-1, 1, {3, 50000, 2}, float32);
  const auto square = [](auto v) { return v * v; };
  const auto plus = [](auto a, auto b) { return a + b; };
  const auto larger = [](auto a, auto b) { return a > b ? a : b; };
  const auto same = [](auto v) { return v; };
  EXPECT_CLOSE(reduce(square, plus, 0, x), sum(x * x), {.rtol = 1e-6});
  EXPECT_CLOSE(reduce(square, plus, 0, x, {.axis = 1}), sum(x * x, 1), {.rtol = 1e-6});
  EXPECT_CLOSE(reduce(same, larger, -1, x, {.axis = {0, 2}, .keepdims = true}), max(x, {0, 2}, true), {});
  EXPECT_CLOSE(reduce(same, plus, 0, array({1, 2, 3})), array(6), {});
  EXPECT_CLOSE(reduce(same, plus, 7, zeros({0, 2}), {.axis = 0}), array({7.f, 7.f}), {});
  const float two = reduce(square, plus, 0, x).item<float>();
  cpu::set_thread_count(1);
  EXPECT_EQ(reduce(square, plus, 0, x).item<float>(), two);
  cpu::set_thread_count(0);
}
