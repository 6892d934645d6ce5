// SPDX-License-Identifier: MIT
// Gradients that are announced during backward().
#include "chainer/autograd/gradient_hook.h"

#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <algorithm>

#include "test.h"

using namespace chainer;

namespace {

// Stores the value of each announced gradient at that moment.
struct Recorder : GradientHook {
  void gradient_ready(VariableNode& leaf) override {
    nodes.push_back(&leaf);
    values.push_back(leaf.grad.array().copy());
  }
  std::vector<const VariableNode*> nodes;
  std::vector<Array> values;
};

}  // namespace

TEST(gradient_hook_tells_of_each_leaf_once_and_finally) {
  Variable a(array({1.f, 2.f})), b(array({3.f, 4.f})), c(array({5.f, 6.f}));
  Recorder r;
  {
    const GradientHookScope scope(r);
    // a is read three times, at both ends of the graph.
    F::sum((a * b + a) * c * a).backward();
  }
  EXPECT_EQ(r.nodes.size(), 3u);
  for (const Variable* v : {&a, &b, &c}) {
    const auto at = std::find(r.nodes.begin(), r.nodes.end(), v->node_pointer());
    EXPECT(at != r.nodes.end());
    EXPECT_CLOSE(r.values[static_cast<std::size_t>(at - r.nodes.begin())], v->grad());
  }
  EXPECT(r.nodes.back() == a.node_pointer() || r.nodes.back() == b.node_pointer());
  EXPECT(GradientHookScope::current() == nullptr);
  F::sum(a * b).backward();
  EXPECT_EQ(r.nodes.size(), 3u);
}

TEST(gradient_hook_and_joined_products) {
  // A weight that is applied many times: all joined products are added before it is announced.
  L::Linear l(8, 8);
  l.cleargrads();
  Variable h(ones({4, 8}), false);
  for (int i = 0; i < 6; ++i) h = F::tanh(l(h));
  const Variable loss = F::sum(h);
  Recorder r;
  {
    const GradientHookScope scope(r);
    loss.backward();
  }
  EXPECT_EQ(r.nodes.size(), 2u);
  for (std::size_t i = 0; i < r.nodes.size(); ++i)
    EXPECT_CLOSE(r.values[i], r.nodes[i] == l.W.variable().node_pointer() ? l.W.grad() : l.b->grad());
}

TEST(gradient_hook_inside_backward) {
  // F::forget differentiates inside backward(); its parameters are not announced by the inner pass.
  L::Linear l(2, 2);
  l.cleargrads();
  const Variable x(ones({1, 2}));
  const Variable y = F::forget([&](const Variables& in) { return Variables{l(in[0])}; }, Variables{x})[0];
  Recorder r;
  {
    const GradientHookScope scope(r);
    F::sum(y).backward();
  }
  EXPECT_EQ(r.nodes.size(), 1u);
  EXPECT(r.nodes[0] == x.node_pointer());
  EXPECT(l.W.grad());
}
