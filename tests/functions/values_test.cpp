// SPDX-License-Identifier: MIT
// Values at the edges: infinite and very long inputs, empty batches, invalid parameters of distributions.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>

#include "test.h"

using namespace chainer;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Array gradient_of(const std::function<Variable(const Variable&)>& f, const Array& at) {
  const Variable x(at);
  F::sum(f(x)).backward();
  return x.grad();
}

}  // namespace

TEST(hard_sigmoid_of_what_is_infinite) {
  for (Dtype d : {float16, float32, float64}) {
    const Array x = array({-kInfinite, -3.0, -2.5, 0.0, 2.5, 3.0, kInfinite}).astype(d);
    const auto f = [](const Variable& v) { return F::hard_sigmoid(v); };
    EXPECT(f(x).array().to_vector<double>() == (std::vector<double>{0, 0, 0, 0.5, 1, 1, 1}));
    EXPECT_CLOSE(gradient_of(f, x), array({0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0}).astype(d), {.rtol = 1e-3});
  }
  EXPECT(std::isnan(F::hard_sigmoid(array({NAN})).array()[0].item<double>()));
}

TEST(means_are_those_of_arrays) {
  for (int64_t n : {41, 49, 1000, 70000})
    for (Dtype d : {float16, float32, float64}) {
      const Array x = ones({n}, d);
      EXPECT_EQ(F::mean(x).item<double>(), 1.0);
      EXPECT_EQ(F::average(x, 0, {.keepdims = true}).array()[0].item<double>(), 1.0);
      const Array g = gradient_of([](const Variable& v) { return F::mean(v); }, x);
      // From 65,520 elements on the count itself is inf in float16.
      const Array share = array({1 / static_cast<double>(n)}).astype(d);
      EXPECT(share[0].item<double>() > 0);
      EXPECT_EQ(g[n - 1].item<double>(), share[0].item<double>());
    }
  const Array x = random::normal(0, 1, {7, 41}, float32);
  EXPECT_CLOSE(F::mean(x, 1).array(), chainer::mean(x, 1), {0, 0});
}

TEST(functions_of_empty_batches) {
  const auto shape = [](const Variable& y) { return y.array().shape(); };
  const Variable x(zeros({0, 4, 3, 2})), g(ones({4})), b(zeros({4}));
  const Variable y = F::group_normalization(x, 2, g, b);
  EXPECT_EQ(shape(y), (Shape{0, 4, 3, 2}));
  F::sum(y).backward();
  EXPECT_EQ(x.grad().shape(), (Shape{0, 4, 3, 2}));
  EXPECT_EQ(g.grad().shape(), (Shape{4}));
  EXPECT_EQ(shape(F::bilinear(zeros({0, 3, 2}), zeros({0, 4}), ones({6, 4, 5}))), (Shape{0, 5}));
  EXPECT_EQ(shape(F::bilinear(zeros({0, 3}), zeros({0, 4, 2}), ones({3, 8, 5}), ones({3, 5}), ones({8, 5}), ones({5}))),
            (Shape{0, 5}));
  const Variable W(ones({5, 6}));
  F::sum(F::simplified_dropconnect(zeros({0, 3, 2}), W, zeros({5}))).backward();
  EXPECT_EQ(W.grad().shape(), (Shape{5, 6}));
  EXPECT_EQ(shape(F::batch_l2_norm_squared(zeros({0, 3, 2}))), (Shape{0}));
  EXPECT_EQ(shape(F::linear(zeros({0, 3, 2}), W)), (Shape{0, 5}));
  EXPECT_EQ(shape(F::linear(zeros({0, 3, 6}), W, {}, {.n_batch_axes = 2})), (Shape{0, 3, 5}));
  EXPECT_EQ(shape(F::linear(zeros({3, 0, 6}), W, {}, {.n_batch_axes = 2})), (Shape{3, 0, 5}));
  EXPECT_THROW(Error, "", F::linear(zeros({0, 7}), W));
}

TEST(a_uniform_distribution_whose_ends_are_turned_around) {
  const distributions::Uniform u({.low = array({3.f}), .high = array({1.f})});
  EXPECT_CLOSE(u.stddev().array(), sqrt(u.variance().array()), {.rtol = 1e-6});
  EXPECT_EQ(u.prob(array({2.f})).array()[0].item<float>(), 0.f);
  EXPECT(std::isnan(u.entropy().array()[0].item<float>()));
}

TEST(bernoulli_of_values_that_are_neither) {
  const distributions::Bernoulli d({.p = array({0.25f, 0.25f, 0.25f}), .binary_check = true});
  const Variable x(array({0.f, 0.5f, 1.f}));
  const Variable l = d.log_prob(x), p = d.prob(x);
  EXPECT_CLOSE(p.array(), array({0.75f, 0.f, 0.25f}), {.rtol = 1e-6});
  EXPECT_EQ(l.array()[1].item<double>(), -kInfinite);
  F::sum(F::where(Variable(isinf(l.array()), false), Variable(zeros({3}), false), l)).backward();
  // Linear in x, as the header states: log(p) - log(1 - p); zero for invalid values.
  const float slope = std::log(0.25f) - std::log(0.75f);
  EXPECT_CLOSE(x.grad(), array({slope, 0.f, slope}), {.rtol = 1e-5});
}

TEST(the_contrastive_gradient_of_equal_points_is_zero) {
  for (Dtype d : {Dtype::float16, Dtype::float32, Dtype::float64}) {
    const Variable x0(array({{1.f, 2.f}, {3.f, 4.f}}).astype(d)), x1(x0.array().copy());
    F::contrastive(x0, x1, array({0, 1}), {.margin = 0.5}).backward();
    EXPECT_CLOSE(x0.grad(), zeros({2, 2}, d), {});
    EXPECT_CLOSE(x1.grad(), zeros({2, 2}, d), {});
    const Array y = F::contrastive(x0, x1, array({0, 1}), {.margin = 0.5, .reduce = Reduction::no}).array();
    EXPECT_CLOSE(y, array({0.125f, 0.f}).astype(d), {.rtol = 1e-5});
  }
}

TEST(bias_and_scale_repeat_lengths_of_one) {
  const Variable x(arange(0, 24).reshape({2, 3, 4}).astype(Dtype::float32));
  const Variable y(array({{1.f}, {2.f}, {3.f}}));
  EXPECT_CLOSE(F::bias(x, y, 1).array(), x.array() + y.array(), {});
  EXPECT_CLOSE(F::scale(x, y, 1).array(), x.array() * y.array(), {});
  F::sum(F::bias(x, y, 1)).backward();
  EXPECT_CLOSE(y.grad(), full({3, 1}, 8.f), {});
  EXPECT_CLOSE(F::bias(x, ones({1, 1}), 0).array(), x.array() + 1.f, {});
  EXPECT_THROW(DimensionError, "does not match", F::bias(x, ones({2}), 1));
}
