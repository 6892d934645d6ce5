// SPDX-License-Identifier: MIT
// Gradients kept in nodes must be freed when they can no longer be read.
#include <chainer/chainer.h>

#include "chainer/core/pool.h"
#include "test.h"

using namespace chainer;

TEST(retained_gradients_with_a_graph_go_with_their_variables) {
  const auto round = [](bool with_graph, bool by_grad) {
    Variable x(array({1.0, 2.0}));
    const Variable h = x * x;  // held
    const Variable y = F::sum(F::tanh(h * h) * h);
    if (by_grad)
      (void)grad({y}, {x}, {.retain_grad = true, .enable_double_backprop = with_graph});
    else
      y.backward({.retain_grad = true, .enable_double_backprop = with_graph});
    EXPECT(h.grad());
    EXPECT_EQ(static_cast<bool>(x.grad()), !by_grad);  // leaves keep theirs
    EXPECT_EQ(static_cast<bool>(h.grad_var().creator()), with_graph);
    if (!with_graph) EXPECT(y.creator()->inputs()[0]->grad);  // of a result without handles
  };
  for (bool with_graph : {false, true}) {
    for (bool by_grad : {false, true}) {
      round(with_graph, by_grad);
      const int64_t before = pool::outstanding();
      for (int i = 0; i < 3; ++i) round(with_graph, by_grad);
      EXPECT_EQ(pool::outstanding(), before);
    }
  }
}

// Without a new graph, but the gradient that backward() starts from has one.
TEST(a_gradient_with_a_graph_of_the_users_is_not_kept_for_good) {
  const auto round = [] {
    Variable x(array({1.0, 2.0}));
    const Variable y = F::identity(F::identity(x));
    Variable z = y;
    z.set_grad_var(x * F::identity(y));
    z.backward({.retain_grad = true});
  };
  round();
  const int64_t before = pool::outstanding();
  for (int i = 0; i < 3; ++i) round();
  EXPECT_EQ(pool::outstanding(), before);
}
