// SPDX-License-Identifier: MIT
// The loss of a projection block by block, against all scores at once, over several blocks of rows.
#include <chainer/chainer.h>

#include "chainer/array/memory.h"
#include "test.h"

using namespace chainer;

namespace {

constexpr int64_t kClasses = 1 << 17, kRows = 300;  // blocks of 128 rows

struct Case {
  Variable x, W, b;
  Array t;
  explicit Case(Dtype d = float32, int64_t rows = kRows)
      : x(random::normal(0, 1, {rows, 3}, float64).astype(d), true),
        W(random::normal(0, 1, {kClasses, 3}, float64).astype(d), true),
        b(random::normal(0, 1, {kClasses}, float64).astype(d), true),
        t(random::randint(0, kClasses, {rows}).astype(int32)) {
    t.set(1, -1);
    t.set(rows - 1, -1);
  }
};

void expect_same(const F::SoftmaxCrossEntropyOptions& o, double loss_scale = 1) {
  const Case c;
  const Variable whole = F::softmax_cross_entropy(F::linear(c.x, c.W, c.b), c.t, o);
  const Variable parts = F::linear_cross_entropy(c.x, c.W, c.t, c.b, o);
  EXPECT_CLOSE(parts.array(), whole.array(), {.atol = 0, .rtol = 1e-5});
  const Variable gy(random::normal(0, loss_scale, whole.shape(), float32), false);
  const Variables in{c.x, c.W, c.b};
  const Variables a = grad({parts}, in, {.grad_outputs = {gy}}), e = grad({whole}, in, {.grad_outputs = {gy}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_CLOSE(a[i].array(), e[i].array(), {.atol = 3e-5, .rtol = 1e-3});
}

}  // namespace

TEST(losses_of_several_blocks) {
  expect_same({});
  expect_same({.reduce = Reduction::sum});
  expect_same({.reduce = Reduction::no});
  expect_same({.normalize = false, .label_smoothing = 0.1});
}

TEST(blocks_hold_fewer_scores) {
  const Case c(float32, 640);  // scores of 320 MiB
  memory::reset_peak();
  const int64_t before = memory::statistics().in_use;
  F::linear_cross_entropy(c.x, c.W, c.t, c.b).backward();
  EXPECT(memory::statistics().peak - before < int64_t{300} << 20);
  EXPECT(c.W.grad() && c.x.grad() && c.b.grad());
}

TEST(frozen_weights_have_no_gradient) {
  Case c;
  c.W = Variable(c.W.array(), false);
  const Variable y = F::linear_cross_entropy(c.x, c.W, c.t);
  y.backward();
  EXPECT(!c.W.grad());
  const Variable x(c.x.array(), true);
  F::softmax_cross_entropy(F::linear(x, c.W), c.t).backward();
  EXPECT_CLOSE(c.x.grad(), x.grad(), {.atol = 1e-6, .rtol = 1e-3});
}

TEST(loss_scales_act_before_gradients_are_rounded) {
  const Case c(float16);
  const Variables in{c.x, c.W, c.b};
  const Variable loss = F::linear_cross_entropy(c.x, c.W, c.t, c.b);
  const Variable whole = F::softmax_cross_entropy(F::linear(c.x, c.W, c.b), c.t);
  const Variable scale(full({}, 1024.0, float16), false);
  const Variables a = grad({loss}, in, {.grad_outputs = {scale}}), e = grad({whole}, in, {.grad_outputs = {scale}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_CLOSE(a[i].array(), e[i].array(), {.atol = 2e-2, .rtol = 2e-2});
}

TEST(wrong_labels_of_projections_are_named) {
  Case c;
  c.t.set(299, kClasses);
  EXPECT_THROW(IndexError, "linear_cross_entropy: label 131072 at position 299 is not in 0 ... 131071",
               F::linear_cross_entropy(c.x, c.W, c.t));
  EXPECT_THROW(DimensionError, "t of shape (2,) does not have the shape of x of shape (300, 3) without its last axis",
               F::linear_cross_entropy(c.x, c.W, array({1, 2})));
  EXPECT_THROW(InvalidType, "x.shape()[1] == W.shape()[1]",
               F::linear_cross_entropy(c.x, ones({4, 2}), zeros({kRows}, int32)));
}

TEST(losses_of_no_classes) {
  EXPECT_THROW(ValueError, "has no classes", F::softmax_cross_entropy(zeros({2, 0}), array({-1, -1})));
  EXPECT_THROW(ValueError, "has no classes", F::linear_cross_entropy(zeros({2, 3}), zeros({0, 3}), array({-1, -1})));
}

TEST(losses_of_no_rows) {
  const Variable x(zeros({0, 3}), true), W(ones({4, 3}), true);
  const Variable y = F::linear_cross_entropy(x, W, zeros({0}, int32));
  EXPECT_EQ(y.item<float>(), 0.f);
  y.backward();
  EXPECT_EQ(x.grad().shape(), Shape({0, 3}));
  EXPECT_EQ(sum(W.grad()).item<float>(), 0.f);
}
