// SPDX-License-Identifier: MIT
// Batch normalization: statistics, memory order, fusion, errors. Gradients are tested by the table of functions.
#include <chainer/chainer.h>

#include "chainer/array/deferred/deferred.h"
#include "chainer/core/parallel.h"
#include <chainer/testing/testing.h>
#include "../array/bits.h"
#include "c_order.h"
#include "test.h"

using namespace chainer;

namespace {

Array images(const Shape& nhwc, double mean) {
  random::RandomState r(3);
  return (r.randn(nhwc) + mean).astype(float32).transpose({0, 3, 1, 2});
}

}  // namespace

TEST(batch_normalization_moves_the_running_statistics) {
  const Array x = array({{1.f, 2.f}, {3.f, 8.f}, {5.f, 5.f}});
  Array mean = array({10.f, 20.f}), var = array({1.f, 2.f});
  (void)F::batch_normalization(x, ones({2}), zeros({2}), {.running_mean = mean, .running_var = var, .decay = 0.75});
  EXPECT_CLOSE(mean, array({0.75f * 10 + 0.25f * 3, 0.75f * 20 + 0.25f * 5}));
  EXPECT_CLOSE(var, array({0.75f * 1 + 0.25f * 4, 0.75f * 2 + 0.25f * 9}));
  EXPECT_THROW(ValueError, "must be given together",
               F::batch_normalization(x, ones({2}), zeros({2}), {.running_mean = mean}));
  EXPECT_THROW(DimensionError, "running statistics must have gamma's shape (2,), not (3,)",
               F::batch_normalization(x, ones({2}), zeros({2}), {.running_mean = mean, .running_var = zeros({3})}));
}

// Sums of squares would lose all digits here.
TEST(batch_statistics_are_exact_far_from_zero) {
  for (const bool rows : {true, false}) {
    Array x = images({16, 20, 20, 6}, 0);
    x = (x.astype(float64) * 0.5 + 3000).astype(float32);
    x = rows ? x : c_order(x);
    Array mean = zeros({6}), variance = zeros({6});
    const Array y =
        F::batch_normalization(x, ones({6}), zeros({6}), {.running_mean = mean, .running_var = variance, .decay = 0})
            .array();
    const Array wide = x.astype(float64);
    testing::assert_allclose(mean, chainer::mean(wide, {0, 2, 3}), {.atol = 0, .rtol = 1e-7});
    testing::assert_allclose(variance, var(wide, {0, 2, 3}, false, 1), {.atol = 0, .rtol = 1e-6});
    const Array expected = (wide - chainer::mean(wide, {0, 2, 3}, true)) / sqrt(var(wide, {0, 2, 3}, true) + 2e-5);
    testing::assert_allclose(y, expected, {.atol = 1e-3, .rtol = 1e-3});
  }
}

TEST(batch_normalization_keeps_the_order_of_channels) {
  const Array x = images({3, 10, 7, 130}, 1);
  random::RandomState r(4);
  const Array gamma = r.randn({130}).astype(float32), beta = r.randn({130}).astype(float32);
  Variable a(x), b(c_order(x)), ga(gamma), gb(gamma), ba(beta), bb(beta);
  const Variable ya = F::batch_normalization(a, ga, ba), yb = F::batch_normalization(b, gb, bb);
  EXPECT(ya.array().transpose({0, 2, 3, 1}).is_contiguous());
  EXPECT(yb.array().is_contiguous());
  testing::assert_allclose(ya.array(), yb.array(), {.atol = 1e-5, .rtol = 1e-5});
  F::sum(F::square(ya) * x).backward();
  F::sum(F::square(yb) * x).backward();
  EXPECT(a.grad().transpose({0, 2, 3, 1}).is_contiguous());
  testing::assert_allclose(a.grad(), b.grad(), {.atol = 1e-3, .rtol = 1e-3});
  testing::assert_allclose(ga.grad(), gb.grad(), {.atol = 1e-2, .rtol = 1e-4});
  testing::assert_allclose(ba.grad(), bb.grad(), {.atol = 1e-2, .rtol = 1e-4});
}

TEST(batch_statistics_do_not_depend_on_threads) {
  const Array x = images({8, 33, 33, 70}, 1);
  for (const Array& input : {x, c_order(x)}) {
    Array first_mean, first_var, first_grad;
    for (int threads : {1, 2, 3}) {
      cpu::set_thread_count(threads);
      Array mean = zeros({70}), variance = zeros({70});
      Variable v(input), gamma(ones({70}));
      F::sum(F::square(F::batch_normalization(v, gamma, zeros({70}),
                                              {.running_mean = mean, .running_var = variance, .decay = 0})))
          .backward();
      if (threads == 1) first_mean = mean, first_var = variance, first_grad = gamma.grad().copy();
      EXPECT(all(equal(first_mean, mean)).item<bool>());
      EXPECT(all(equal(first_var, variance)).item<bool>());
      EXPECT(all(equal(first_grad, gamma.grad())).item<bool>());
    }
  }
  cpu::set_thread_count(0);
}

// An activation that follows batch normalization runs in the same pass.
TEST(an_activation_joins_batch_normalization) {
  if (!deferred::enabled()) return;
  for (const auto& [channels, residual] : {std::pair(false, false), std::pair(false, true), std::pair(true, true)}) {
    Array x = images({4, 16, 16, 32}, 1), shortcut = images({4, 16, 16, 32}, 0);
    if (!channels) x = x.contiguous(), shortcut = shortcut.contiguous();
    (void)shortcut.raw();
    const NoBackpropMode no_graph;
    Variable y = F::batch_normalization(x, ones({32}), zeros({32}));
    if (residual) y = y + shortcut;
    y = F::relu(y);
    const int64_t before = deferred::statistics().programs;
    (void)y.array().raw();
    EXPECT_EQ(deferred::statistics().programs, before + 1);
  }
}

TEST(batch_renormalization_leads_towards_the_running_statistics) {
  const Array x = array({{1., 2.}, {3., 8.}, {5., 5.}}), gamma = array({2., 3.}), beta = array({0.5, 0.25});
  Array mean = array({2.5, 20.}), variance = array({4., 2.});
  const Array mean_before = mean.copy(), variance_before = variance.copy();
  const auto run = [&](bool update) {
    return F::batch_renormalization(
               x, gamma, beta, 1.5, 0.5,
               {.eps = 0.01, .running_mean = mean, .running_var = variance, .decay = 0.75, .update_statistics = update})
        .array();
  };
  const Array sigma = sqrt(var(x, 0) + 0.01), running = sqrt(variance + 0.01);
  const Array r = clip(sigma / running, 1 / 1.5, 1.5), d = clip((chainer::mean(x, 0) - mean) / running, -0.5, 0.5);
  const Array expected = gamma * ((x - chainer::mean(x, 0)) / sigma * r + d) + beta;
  EXPECT_CLOSE(run(false), expected);
  EXPECT_CLOSE(mean, mean_before);
  EXPECT_CLOSE(run(true), expected);
  EXPECT_CLOSE(mean, mean_before * 0.75 + chainer::mean(x, 0) * 0.25);
  EXPECT_CLOSE(variance, variance_before * 0.75 + (var(x, 0) + 0.01) * (1.5 * 0.25));
  EXPECT_THROW(ValueError, "rmax must be at least 1", F::batch_renormalization(x, gamma, beta, 0.5, 0));
}

TEST(normalization_errors) {
  const Array x = ones({2, 3, 4});
  EXPECT_THROW(InvalidType, "x.shape()[1] == gamma.shape()[0]", F::batch_normalization(x, ones({2}), ones({2})));
  EXPECT_THROW(InvalidType, "beta.shape() == gamma.shape()", F::batch_normalization(x, ones({3}), ones({4})));
  EXPECT_THROW(InvalidType, "gamma.dtype() == x.dtype()",
               F::batch_normalization(x, ones({3}, float64), ones({3}, float64)));
  EXPECT_THROW(ValueError, "must ascend", F::batch_normalization(x, ones({3}), ones({3}), {.axis = {2, 0}}));
  EXPECT_THROW(ValueError, "n must be positive", F::local_response_normalization(x, {.n = 0}));
}

// In mixed precision the statistics and gradients are those of float32 on the same values, and results are rounded
// once, for channels in any place, in blocks that are full or not.
TEST(batch_normalization_reads_16_bits_as_float32) {
  random::RandomState draw(21);
  for (const DefaultDtype& mixed : {mixed16, mixed_bfloat16})
    for (const Shape& shape : {Shape{5, 7, 31, 43}, Shape{130, 70}, Shape{3, 1300}, Shape{66, 64}})
      for (const bool last : {false, true}) {
        const UsingConfig mode(&Config::dtype, mixed);
        const Dtype narrow = *mixed.products;
        const auto placed = [&](const Array& a) {
          return last && a.ndim() == 4 ? a.transpose({0, 2, 3, 1}).contiguous().transpose({0, 3, 1, 2}) : a;
        };
        const Array x = placed(draw.normal(2, 3, shape, float32).astype(narrow)),
                    g = placed(draw.normal(0, 1, shape, float32).astype(narrow));
        const Array gamma = draw.normal(1, 0.1, {shape[1]}, float32), beta = draw.normal(0, 1, {shape[1]}, float32);
        Array results[2][4];
        for (const int wide : {0, 1}) {
          const Variable vx(wide ? x.astype(float32) : x), vgamma(gamma), vbeta(beta);
          Variable y = F::batch_normalization(vx, vgamma, vbeta);
          EXPECT_EQ(y.dtype(), wide ? Dtype(float32) : Dtype(narrow));
          y.set_grad(wide ? g.astype(float32) : g);
          y.backward();
          results[wide][0] = y.array(), results[wide][1] = vx.grad();
          results[wide][2] = vgamma.grad(), results[wide][3] = vbeta.grad();
        }
        for (const int i : {0, 1, 2, 3}) EXPECT(same_bits(results[0][i], results[1][i].astype(results[0][i].dtype())));
      }
}

TEST(normalizations_of_16_bits_compute_in_float32) {
  random::RandomState draw(1);
  for (const double size : {300.0, 1e-3}) {
    const Array x = draw.normal(0, size, {2, 8}).astype(float16), weights = draw.normal(0, 1, {2, 8}).astype(float16);
    const auto results = [&](Dtype dtype, bool graph, auto&& normalize) {
      const Variable v(x.astype(dtype)), gamma(ones({8}, dtype));
      Variable y = normalize(v, gamma);
      y.set_grad(weights.astype(dtype));
      y.backward({.enable_double_backprop = graph});
      return concatenate({y.array().ravel(), v.grad().ravel() * size}).astype(float64);
    };
    const auto check = [&](auto&& normalize) {
      const Array expected = results(float64, false, normalize);
      for (const bool graph : {false, true})
        EXPECT_CLOSE(results(float16, graph, normalize), expected, {.atol = 5e-3, .rtol = 5e-3});
    };
    check([](const Variable& v, const Variable& g) { return F::rms_normalization(v, g); });
    check([](const Variable& v, const Variable& g) {
      return F::layer_normalization(v, g, Variable(zeros({8}, v.dtype()), false));
    });
    check([](const Variable& v, const Variable& g) {
      return F::group_normalization(v, 2, g, Variable(zeros({8}, v.dtype()), false));
    });
  }
}
