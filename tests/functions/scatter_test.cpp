// SPDX-License-Identifier: MIT
// F::scatter_max and F::scatter_mean compared with plain loops, their gradients with finite differences.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <cmath>
#include <limits>

#include "test.h"

using namespace chainer;

namespace {

using Scatter = std::function<Variable(const Variables&)>;

void check_gradients(const Scatter& f, const Arrays& x) {
  const auto all = [&](const Variables& v) { return Variables{f(v)}; };
  random::RandomState r(3);
  const Shape shape = f({Variable(x[0]), Variable(x[1])}).shape();
  const Arrays gy{r.normal(0, 1, shape)}, ggx{r.normal(0, 1, x[0].shape()), r.normal(0, 1, x[1].shape())};
  gradient_check::check_backward(all, x, gy, {.atol = 1e-7, .rtol = 1e-7});
  // The function is linear in its inputs; its square has second derivatives.
  const auto squared = [&](const Variables& v) { return Variables{F::square(f(v))}; };
  gradient_check::check_backward(squared, x, gy, {.atol = 1e-5, .rtol = 1e-5});
  gradient_check::check_double_backward(squared, x, gy, ggx, {.atol = 1e-4, .rtol = 1e-4});
}

}  // namespace

TEST(scatter_max_takes_the_largest) {
  random::RandomState r(1);
  const Array places = r.randint(0, 5, {20});
  const Array a = r.normal(0, 1, {5, 3}), b = r.normal(0, 1, {20, 3});
  const Array y = F::scatter_max(a, {places}, b).array();
  const std::vector<double> va = a.to_vector<double>(), vb = b.to_vector<double>(), vy = y.to_vector<double>();
  const std::vector<int64_t> at = places.to_vector<int64_t>();
  for (std::size_t k = 0; k < 5; ++k)
    for (std::size_t c = 0; c < 3; ++c) {
      double most = va[k * 3 + c];
      for (std::size_t i = 0; i < 20; ++i)
        if (at[i] == static_cast<int64_t>(k)) most = std::max(most, vb[i * 3 + c]);
      EXPECT_EQ(vy[k * 3 + c], most);
    }
  check_gradients([&](const Variables& v) { return F::scatter_max(v[0], {places}, v[1]); }, {a, b});
  // Slices, broadcasting, another axis, and empty inputs.
  EXPECT_CLOSE(F::scatter_max(zeros({2, 3}), {ellipsis, 1}, array({-1.f, 4.f})).array(),
               array({{0.f, 0.f, 0.f}, {0.f, 4.f, 0.f}}));
  EXPECT_CLOSE(F::scatter_max(zeros({3}), {array({1, 2})}, array(2.f)).array(), array({0.f, 2.f, 2.f}));
  EXPECT_CLOSE(F::scatter_max(ones({3}), {zeros({0}, int64)}, zeros({0})).array(), ones({3}));
  check_gradients(
      [&](const Variables& v) {
        return F::scatter_max(v[0], {ellipsis, array({0, 2, 0})}, v[1]);
      },
      {r.normal(0, 1, {4, 3}), r.normal(0, 1, {4, 3})});
  check_gradients(
      [&](const Variables& v) {
        return F::scatter_max(v[0], {array({0, 2, 0})}, v[1]);
      },
      {r.normal(0, 1, {4, 2}), r.normal(0, 1, {2})});
}

TEST(scatter_max_at_ties_and_nan) {
  Variable a(array({1.f, 5.f})), b(array({1.f, 1.f, 2.f}));
  Variable y = F::scatter_max(a, {array({0, 0, 1})}, b);
  F::sum(y).backward();
  EXPECT_CLOSE(a.grad(), array({1.f / 3, 1.f}));
  EXPECT_CLOSE(b.grad(), array({1.f / 3, 1.f / 3, 0.f}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> with_nan =
      F::scatter_max(array({1.f, nan}), {array({0, 0, 1})}, array({nan, 3.f, 2.f})).array().to_vector<float>();
  EXPECT(std::isnan(with_nan[0]) && std::isnan(with_nan[1]));
  for (Dtype d : {float16, float32, float64})
    EXPECT_EQ(F::scatter_max(zeros({2}, d), {array({0, 0})}, ones({2}, d)).dtype(), d);
  EXPECT_THROW(IndexError, "out of", F::scatter_max(zeros({2}), {array({2})}, ones({1})));
  EXPECT_THROW(Error, "float32", F::scatter_max(zeros({2}, float64), {array({1})}, ones({1})));
}

TEST(scatter_mean_is_the_mean_over_segments) {
  random::RandomState r(2);
  const Array places = array({0, 3, 3, 0, 1, 3});
  const Array a = r.normal(0, 1, {5, 2}), b = r.normal(0, 1, {6, 2});
  Array expected = a.copy();
  for (int k : {0, 1, 3}) expected.set({k}, mean(b[places == k], 0));
  EXPECT_CLOSE(F::scatter_mean(a, {places}, b).array(), expected, {.atol = 1e-14, .rtol = 1e-14});
  check_gradients([&](const Variables& v) { return F::scatter_mean(v[0], {places}, v[1]); }, {a, b});
  check_gradients([&](const Variables& v) { return F::scatter_mean(v[0], {Slice(1, 3)}, v[1]); },
                  {r.normal(0, 1, {4, 2}), r.normal(0, 1, {2})});
  EXPECT_CLOSE(F::scatter_mean(ones({3}), {zeros({0}, int64)}, zeros({0})).array(), ones({3}));
  Variable x(ones({2})), y(array({1.f, 3.f}));
  F::sum(F::scatter_mean(x, {array({0, 0})}, y)).backward();
  EXPECT_CLOSE(x.grad(), array({0.f, 1.f}));
  EXPECT_CLOSE(y.grad(), array({0.5f, 0.5f}));
}
