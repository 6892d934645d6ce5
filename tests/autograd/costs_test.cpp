// SPDX-License-Identifier: MIT
// Walks over graphs of n functions: their costs are linear in the number of functions.
#include "costs.h"

#include <chainer/chainer.h>

#include "chainer/autograd/gradient_hook.h"

using namespace chainer;

namespace {

constexpr int kSize = 250;

Array small() { return ones({2}, float64); }
Variable chain(Variable h, int n) {
  for (int i = 0; i < n; ++i) h = F::identity(h);
  return h;
}
Variable ready(Variable y) {
  y.set_grad(ones_like(y.array()));
  return y;
}
// Times `use` on a graph that is made before the clock starts.
template <class Make, class Use>
costs::Prepare on(Make make, Use use) {
  return [=](int n) -> std::function<void()> {
    auto made = std::make_shared<decltype(make(n))>(make(n));
    return [=] { use(*made, n); };
  };
}
struct Graph {
  Variables x;  // leaves, or other variables that a test uses
  Variable y;
};
const auto backward = [](Graph& g, int) { g.y.backward(); };
const auto backward_with_graph = [](Graph& g, int) { g.y.backward({.enable_double_backprop = true}); };

Graph chain_graph(int n) {
  const Variable x(small());
  return {{x}, ready(chain(x, n))};
}
// Many leaves as inputs of one function, and one leaf as input of many.
Graph wide_graph(int n) {
  Variables xs;
  for (int i = 0; i < n; ++i) xs.push_back(Variable(small()));
  return {xs, ready(F::concat(xs, 0))};
}
Graph shared_graph(int n) {
  const Variable x(small());
  Variable y = x * 1.0;
  for (int i = 0; i < n; ++i) y = y + x;
  return {{x}, ready(y)};
}
// Weights that are applied twice each, so that products are joined.
Graph weights_graph(int n) {
  Variables Ws;
  for (int i = 0; i < n; ++i) Ws.push_back(Variable(ones({2, 2}, float64)));
  Variable h(ones({1, 2}, float64));
  for (int time = 0; time < 2; ++time)
    for (const Variable& W : Ws) h = F::linear(h * 0.5, W);
  return {Ws, ready(h)};
}
Graph recurrent_graph(int n) {
  const Variable W(ones({2, 2}, float64));
  Variable h(ones({1, 2}, float64));
  for (int i = 0; i < n; ++i) h = F::linear(h * 0.5, W);
  return {{W}, ready(h)};
}
Graph forget_graph(int n) {
  const Variable W(small());
  Variable h(small());
  for (int i = 0; i < n; ++i) h = F::forget([W](const Variable& v) { return v * W; }, h);
  return {{W}, ready(h)};
}
Graph prelu_graph(int n) {
  const Variable W(full({2}, 0.5, float64));
  Variable h(-ones({1, 2}, float64));
  for (int i = 0; i < n; ++i) h = F::prelu(h, W);
  return {{W}, ready(h)};
}

}  // namespace

TEST(costs_of_walks_over_graphs) {
  using costs::expect_linear;
  expect_linear("forward of a chain", kSize,
                on([](int) { return Variable(small()); }, [](Variable& x, int n) { (void)chain(x, n); }));
  expect_linear("destruction of a chain", kSize, on(chain_graph, [](Graph& g, int) { g = Graph(); }));
  expect_linear("backward of a chain", kSize, on(chain_graph, backward));
  expect_linear("backward with retained gradients", kSize,
                on(chain_graph, [](Graph& g, int) { g.y.backward({.retain_grad = true}); }));
  expect_linear("backward with a graph of a chain", kSize, on(chain_graph, backward_with_graph));
  expect_linear("backward of one function of n inputs", 4 * kSize, on(wide_graph, backward));
  expect_linear("backward of a leaf with n readers", kSize, on(shared_graph, backward));
  expect_linear("backward of n weights used twice", kSize, on(weights_graph, backward));
  expect_linear("backward of a weight used n times", kSize, on(recurrent_graph, backward));
  expect_linear("backward through n forget", kSize / 4, on(forget_graph, backward));
  expect_linear("backward with a graph through n prelu", kSize / 4, on(prelu_graph, backward_with_graph));
  expect_linear("double backward through n prelu", kSize / 4, on(prelu_graph, [](Graph& g, int) {
                  const Variable gW = grad({g.y}, g.x, {.enable_double_backprop = true})[0];
                  F::sum(gW * gW).backward();
                }));
  expect_linear("backward with a hook, n leaves", kSize, on(weights_graph, [](Graph& g, int) {
                  struct Silent : GradientHook {
                    void gradient_ready(VariableNode&) override {}
                  } hook;
                  const GradientHookScope scope(hook);
                  g.y.backward();
                }));
  expect_linear("grad along a chain", kSize, on(chain_graph, [](Graph& g, int) { (void)grad({g.y}, g.x); }));
  expect_linear("grad to n leaves", kSize, on(wide_graph, [](Graph& g, int) { (void)grad({g.y}, g.x); }));
  // Each step of a loop differentiates the current end of a growing graph.
  expect_linear("n times grad at the end of a chain", kSize,
                on([](int) { return Variable(small()); },
                   [](Variable& h, int n) {
                     for (int i = 0; i < n; ++i) {
                       const Variable next = F::identity(h);
                       (void)grad({ready(next)}, {h});
                       h = next;
                     }
                   }));
  expect_linear("unchain_backward", kSize, on(chain_graph, [](Graph& g, int) { g.y.unchain_backward(); }));
  expect_linear("build_computational_graph", kSize, on(chain_graph, [](Graph& g, int) {
                  (void)computational_graph::build_computational_graph({g.y}).dump();
                }));
}
