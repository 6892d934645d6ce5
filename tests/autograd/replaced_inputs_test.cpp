// SPDX-License-Identifier: MIT
// User code that runs inside a call and replaces the inputs of the call.
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

namespace {

const Array& weights() {
  static const Array a = random::RandomState(3).uniform(-1, 1, {64, 64});
  return a;
}
// Allocates arrays that take the freed memory.
void fill_memory() {
  for (int i = 0; i < 8; ++i) (void)full({64, 64}, 1e9, float64);
}

// Replaces arrays, and drops the variable.
struct Replaces : FunctionHook {
  explicit Replaces(std::function<void()> r) : replace(std::move(r)) {}
  void forward_preprocess(FunctionNode&, const Arrays&) override {
    if (!done) replace();
    done = true;
    fill_memory();
  }
  std::function<void()> replace;
  bool done = false;
};

}  // namespace

TEST(a_hook_may_replace_what_the_call_uses) {
  const Array x = weights() + 1, expected = F::linear(x, weights()).array(),
              grad = matmul(ones({64, 64}, float64).T(), x);
  for (bool graph : {true, false}) {
    const UsingConfig mode(&Config::enable_backprop, graph);
    for (bool whole : {false, true}) {
      Variable W(weights().copy());
      const Variable before = W;
      Replaces hook([&] {
        if (whole)
          W = Variable();
        else
          W.set_array(zeros({64, 64}, float64));
      });
      Variable y;
      {
        const FunctionHookScope scope(hook);
        y = F::linear(x, W);
      }
      EXPECT_CLOSE(y.array(), expected);
      if (!graph) continue;
      F::sum(y).backward();
      EXPECT_CLOSE(before.grad(), grad);
    }
    // A link hook that normalizes the weight at each call.
    L::Linear l(64, 64, {.nobias = true, .initialW = weights()});
    Replaces hook([&] { l.W.set_array(zeros({64, 64}, float32)); });
    const FunctionHookScope scope(hook);
    EXPECT_CLOSE(l(x.astype(float32)).array(), expected.astype(float32), {.atol = 1e-4, .rtol = 1e-4});
    EXPECT_CLOSE(l.W.array(), zeros({64, 64}, float32));
  }
}

TEST(a_users_function_may_replace_its_inputs) {
  struct Eats : FunctionNode {
    explicit Eats(Variable& v) : variable(v) {}
    Arrays forward(const Arrays& in) override {
      retain_inputs({0});
      variable = Variable();
      fill_memory();
      return {in[0] * in[0]};
    }
    Variables backward(const Indexes&, const Variables& gy) override { return {2 * retained_input(0) * gy[0]}; }
    Variable& variable;
  };
  Variable x(weights().copy());
  const Variable before(x);
  Variable eaten = Variable(weights().copy());
  const Variable y = apply_single(Eats(eaten), eaten);
  EXPECT_CLOSE(y.array(), weights() * weights());
  const Variable z = apply_single(Eats(x), x);
  F::sum(z).backward();
  EXPECT_CLOSE(before.grad(), 2 * weights());
}

TEST(a_function_in_forget_may_replace_its_inputs) {
  Variable x(weights().copy());
  const Variable kept = x;
  int calls = 0;
  const Variable y = F::forget(
      [&](const Variable& v) {
        if (calls++ == 0) x.set_array(zeros({64, 64}, float64)), fill_memory();
        return v * v;
      },
      x);
  EXPECT_CLOSE(y.array(), weights() * weights());
  F::sum(y).backward();
  EXPECT_CLOSE(x.grad(), 2 * weights());
}

TEST(a_hook_may_drop_the_variable_that_backward_runs_on) {
  struct Drops : FunctionHook {
    explicit Drops(Variable& v) : variable(v) {}
    void backward_preprocess(FunctionNode&, const Arrays&, const Arrays&) override {
      variable = Variable();
      fill_memory();
    }
    Variable& variable;
  };
  Variable x(weights().copy()), y = F::sum(F::tanh(x * 2.0));
  const Array expected = grad({y}, {x})[0].array();
  Drops hook(y);
  {
    const FunctionHookScope scope(hook);
    y.backward();
  }
  EXPECT_CLOSE(x.grad(), expected);
}
