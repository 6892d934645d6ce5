// SPDX-License-Identifier: MIT
// Gradients that share memory: adding in place must not change arrays that other code holds.
#include <chainer/chainer.h>

#include "chainer/array/exclusive.h"
#include "test.h"

using namespace chainer;

namespace {
Array filled(const Shape& shape, double value) { return full(shape, value, float64); }
}  // namespace

TEST(a_weight_in_a_product_and_in_a_sum) {
  Variable W(filled({2, 2}, 0.5)), V(filled({2, 2}, 0.25)), x(filled({4, 2}, 1), false);
  const Variable s = W + V, y = F::linear(x, W);
  (F::sum(s * s) + F::sum(y * y)).backward();
  EXPECT_CLOSE(V.grad(), filled({2, 2}, 1.5));
  EXPECT_CLOSE(W.grad(), filled({2, 2}, 9.5));
}

TEST(an_array_that_was_set_as_gradient_stays) {
  Variable W(filled({2, 2}, 0.5)), x(filled({4, 2}, 1), false);
  const Array g = filled({2, 2}, 10);
  W.set_grad(g);
  F::sum(F::linear(x, W)).backward();
  EXPECT_CLOSE(W.grad(), filled({2, 2}, 14));
  EXPECT_CLOSE(g, filled({2, 2}, 10));
  // A view of the array counts as a reference to it.
  Array owner = filled({4, 2}, 10);
  const Array part = owner[Slice(1, 3)];
  W.set_grad(part);
  F::sum(F::linear(x, W)).backward();
  EXPECT_CLOSE(owner, filled({4, 2}, 10));
  W.set_grad(owner[Slice(1, 3)]);
  F::sum(F::linear(x, W)).backward();
  EXPECT_CLOSE(owner, filled({4, 2}, 10));
}

TEST(a_gradient_that_somebody_keeps_stays) {
  Variable W(filled({2, 2}, 0.5)), x(filled({4, 2}, 1), false);
  F::sum(F::linear(x, W)).backward();
  const Array first = W.grad();
  F::sum(F::linear(x, W)).backward();
  EXPECT_CLOSE(first, filled({2, 2}, 4));
  EXPECT_CLOSE(W.grad(), filled({2, 2}, 8));
}

TEST(gradients_of_another_link_stay_after_addgrads) {
  L::Linear a(2, 2, {.nobias = true}), b(2, 2, {.nobias = true});
  const Array x = ones({4, 2});
  a.cleargrads(), b.cleargrads();
  F::sum(a(x)).backward();
  b.addgrads(a);
  F::sum(b(x)).backward();
  EXPECT_CLOSE(a.W.grad(), full({2, 2}, 4, float32));
  EXPECT_CLOSE(b.W.grad(), full({2, 2}, 8, float32));
}

// Gradients without other references are added to in place: one array for all steps of a recurrent net.
TEST(a_weight_of_many_steps_has_one_gradient) {
  constexpr int64_t kWidth = 128, kBytes = kWidth * kWidth * 8;
  const auto allocated = [&](int steps, bool leaf) {
    Variable W(filled({kWidth, kWidth}, 0.01)), h(filled({1, kWidth}, 1), false);
    const Variable M = leaf ? W : W * 1.0;  // products that are joined, or added one by one
    for (int i = 0; i < steps; ++i) h = F::linear(h, M);
    const Variable y = F::sum(h);
    const int64_t before = memory::statistics().allocated_total;
    y.backward();
    EXPECT(W.grad());
    return memory::statistics().allocated_total - before;
  };
  for (bool leaf : {false, true}) {
    (void)allocated(4, leaf);
    EXPECT(allocated(24, leaf) - allocated(4, leaf) < 10 * kBytes);
  }
  EXPECT(is_exclusive(filled({2}, 1)));
  const Array a = filled({4}, 1);
  EXPECT(is_exclusive(a));
  const Array view = a[Slice(0, 2)];
  EXPECT(!is_exclusive(a) && !is_exclusive(view));
}

// If a function throws during backward(), the previous gradients are kept.
TEST(gradients_survive_a_backward_that_throws) {
  struct Throws : FunctionNode {
    Arrays forward(const Arrays& x) override { return {x[0].copy()}; }
    Variables backward(const Indexes&, const Variables&) override { throw ValueError("no gradient today"); }
    Variables backward_accumulate(const Indexes& w, const Variables& gy, const Variables&) override {
      return backward(w, gy);
    }
    bool accumulates() const override { return true; }
  };
  Variable x(filled({2}, 1));
  x.set_grad(filled({2}, 3));
  EXPECT_THROW(ValueError, "no gradient today", (F::sum(apply(Throws(), {x})[0]).backward(), 0));
  EXPECT_CLOSE(x.grad(), filled({2}, 3));
}
