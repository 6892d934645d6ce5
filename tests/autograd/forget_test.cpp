// SPDX-License-Identifier: MIT
// F::forget differentiates inside backward(), and must respect the settings of the outer pass.
#include <chainer/chainer.h>

#include <map>

#include "chainer/autograd/gradient_hook.h"
#include "test.h"

using namespace chainer;

namespace {

Variable forgotten(const std::function<Variable(const Variable&)>& f, const Variable& x) { return F::forget(f, x); }

}  // namespace

TEST(forget_keeps_the_loss_scale) {
  const auto step = [](bool forget) {
    L::Linear l(2, 2, {.initialW = array({{1.f, 2.f}, {3.f, 4.f}})});
    optimizers::SGD optimizer(0.5);
    optimizer.setup(l);
    optimizer.set_loss_scale(1024);
    const Variable x(array({{1.f, -1.f}}));
    optimizer.update([&] {
      const auto f = [&](const Variable& v) { return l(v); };
      return F::sum(forget ? forgotten(f, x) : f(x));
    });
    return l.W.array().copy();
  };
  EXPECT_CLOSE(step(true), step(false), {.atol = 0, .rtol = 0});
  // grad() also scales; nested forget.
  Variable W(array({2.0})), x(array({3.0}));
  const auto inner = [&](const Variable& v) { return v * W; };
  const Variable y = forgotten([&](const Variable& v) { return forgotten(inner, v) * v; }, x);
  (void)grad({y}, {x}, {.loss_scale = 8.0});
  EXPECT_CLOSE(W.grad(), array({72.0}));
  EXPECT(W.node()->loss_scale() == 8.0);
  W.cleargrad();
  y.backward();
  EXPECT(!W.node()->loss_scale());
}

// A leaf that both forget and the outer graph read is announced when both are done.
TEST(a_gradient_that_forget_completes_is_announced_behind_it) {
  struct Recorder : GradientHook {
    void gradient_ready(VariableNode& leaf) override { EXPECT(values.emplace(&leaf, leaf.grad.array().copy()).second); }
    std::map<const VariableNode*, Array> values;
  } recorder;
  Variable W(array({2.0, 3.0})), V(array({5.0, 7.0})), x(array({1.0, 4.0}));
  const Variable h = forgotten([&](const Variable& v) { return v * W; }, x * V);
  const Variable y = F::sum(h * W + V);
  {
    const GradientHookScope scope(recorder);
    y.backward();
  }
  EXPECT_EQ(recorder.values.size(), 3u);
  for (const Variable* v : {&W, &V, &x}) EXPECT_CLOSE(recorder.values.at(v->node_pointer()), v->grad());
}

// A user's function that differentiates inside without declaring it cannot change a gradient that was announced.
TEST(an_announced_gradient_does_not_change) {
  struct Inside : FunctionNode {
    explicit Inside(Variable w) : W(std::move(w)) {}
    Arrays forward(const Arrays& x) override { return {x[0] * W.array()}; }
    Variables backward(const Indexes&, const Variables& gy) override {
      Variable y;
      {
        const ForceBackpropMode graph;
        y = F::identity(W * gy[0].array());
      }
      y.set_grad(gy[0].array());
      y.backward();
      return {gy[0] * W};
    }
    Variable W;
  };
  struct Silent : GradientHook {
    void gradient_ready(VariableNode&) override {}
  } hook;
  Variable W(array({2.0, 3.0})), x(array({1.0, 4.0}));
  const Variable y = F::sum(apply(Inside(W), {x})[0] + W);
  const GradientHookScope scope(hook);
  EXPECT_THROW(RuntimeError, "adds_to_other_leaves", (y.backward(), 0));
  EXPECT(!W.grad());
}

// Integer variables may "require" a gradient but never get one.
TEST(embed_id_of_ids_that_require_a_gradient) {
  Variable ids(array({0, 2, 2})), W(arange(6.0).reshape({3, 2}));
  const Array once = array({{1.0, 1.0}, {0.0, 0.0}, {2.0, 2.0}});
  for (int time = 1; time <= 3; ++time) {
    F::sum(F::embed_id(ids, W)).backward();
    EXPECT_CLOSE(W.grad(), once * time);
  }
  EXPECT(!ids.grad());
  W.cleargrad();
  F::sum(F::embed_id(ids, W) * F::embed_id(ids, W)).backward({.enable_double_backprop = true});
  EXPECT_CLOSE(W.grad(), array({{0.0, 2.0}, {0.0, 0.0}, {16.0, 20.0}}));
  W.cleargrad();
  const Variable x(array({1.0, 1.0}));
  const Variable y =
      F::forget([&](const Variables& in) { return Variables{F::embed_id(in[0], W) * in[1] + F::embed_id(in[0], W)}; },
                {array({0, 2, 2}), x})[0];
  for (int time = 1; time <= 2; ++time) {
    F::sum(y).backward();
    EXPECT_CLOSE(W.grad(), once * (2 * time));
  }
}

// No gradient is computed for inputs that do not require one.
TEST(forget_computes_gradients_that_are_wanted_only) {
  struct Counts : FunctionNode {
    explicit Counts(int* n) : computed(n) {}
    Arrays forward(const Arrays& x) override { return {x[0] + x[1]}; }
    Variables backward(const Indexes& wanted, const Variables& gy) override {
      *computed += static_cast<int>(wanted.size());
      Variables out;
      for (std::size_t k = 0; k < wanted.size(); ++k) out.push_back(gy[0]);
      return out;
    }
    int* computed;
  };
  int computed = 0;
  Variable x(array({1.0}));
  const Variable y = F::forget([&](const Variables& in) { return apply(Counts(&computed), in); }, {x, array({2.0})})[0];
  y.backward();
  EXPECT_EQ(computed, 1);
}

TEST(forget_repeats_random_numbers) {
  Variable x(ones({1000}), true);
  const auto drop = [](const Variable& v) { return F::dropout(v, 0.5); };
  for (const bool nested : {false, true}) {
    x.cleargrad();
    Variable y = forgotten([&](const Variable& v) { return nested ? forgotten(drop, v) : drop(v); }, x);
    const random::State before = random::state();
    y.set_grad(ones({1000}));
    y.backward();
    EXPECT_CLOSE(x.grad(), y.array(), {.atol = 0, .rtol = 0});
    EXPECT(random::state() == before);
  }
  // A gradient with a graph, and numbers of the Mersenne Twister.
  const Variable y = forgotten([](const Variable& v) { return F::zoneout(zeros({1000}), v, 0.5); }, x);
  const Variable gx = grad({F::sum(y)}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_CLOSE(gx.array(), y.array(), {.atol = 0, .rtol = 0});
}

TEST(forget_of_arrays_trains_parameters) {
  L::Linear l(3, 2);
  l.cleargrads();
  const Array x = ones({4, 3});
  Variable y = forgotten([&](const Variable& v) { return l(v); }, x);
  F::sum(y * y).backward();
  const Array g = l.W.grad().copy();
  l.cleargrads();
  F::sum(F::square(l(x))).backward();
  EXPECT_CLOSE(g, l.W.grad());
  const NoBackpropMode none;
  EXPECT(!forgotten([&](const Variable& v) { return l(v); }, x).requires_grad());
}

TEST(forget_computes_again_in_the_mode_of_the_first_call) {
  Variable x(ones({1000}), true);
  const Variable y = forgotten([](const Variable& v) { return F::dropout(v, 0.5); }, x);
  {
    const UsingConfig test(&Config::train, false);
    F::sum(y).backward();
  }
  EXPECT_CLOSE(x.grad(), y.array(), {.atol = 0, .rtol = 0});
  int calls = 0;
  const Variables two = F::forget(
      [&](const Variables& v) {
        return ++calls == 1 ? Variables{v[0], v[0]} : Variables{v[0]};
      },
      {x});
  EXPECT_THROW(RuntimeError, "returned 2 variables at first, and 1", F::sum(two[0] + two[1]).backward());
}
