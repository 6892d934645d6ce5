// SPDX-License-Identifier: MIT
// Nodes made by bindings of other languages: their place in the backward pass, and whether they need a gradient.
#include "chainer/autograd/function_node.h"
#include "chainer/functions/functions.h"
#include "chainer/routines/creation.h"
#include "test.h"

using namespace chainer;

TEST(a_rank_that_was_set_counts_in_functions_behind_it) {
  const Variable x(ones({2}));
  x.node()->set_rank(3);
  EXPECT_EQ(x.rank(), 3);
  EXPECT_EQ(F::relu(x).rank(), 4);
}

TEST(a_node_that_wants_no_gradient_any_more_starts_no_graph) {
  const Variable x(ones({2}));
  x.node()->set_requires_grad(false);
  EXPECT(!F::relu(x).creator());
  x.node()->set_requires_grad(true);
  const Variable y = F::sum(F::relu(x));
  y.backward();
  EXPECT_EQ(x.grad().shape(), Shape({2}));
}
