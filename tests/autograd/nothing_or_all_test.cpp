// SPDX-License-Identifier: MIT
// If backward() throws, at whatever point, no gradient changes, and the next pass gives the correct result.
#include <chainer/chainer.h>

#include <cstring>

#include "chainer/autograd/gradient_hook.h"
#include "chainer/core/pool.h"
#include "failing_memory.h"
#include "test.h"

using namespace chainer;

namespace {

// Throws at callback number `at`.
struct FailsAt : FunctionHook {
  explicit FailsAt(int n) : at(n) {}
  void step() {
    if (met++ == at) throw ValueError("on purpose");
  }
  void forward_preprocess(FunctionNode&, const Arrays&) override { step(); }
  void forward_postprocess(FunctionNode&, const Arrays&) override { step(); }
  void backward_preprocess(FunctionNode&, const Arrays&, const Arrays&) override { step(); }
  void backward_postprocess(FunctionNode&, const Arrays&, const Arrays&) override { step(); }
  int at, met = 0;
};

// Arrays too large to be stored inside their bodies. Weights that functions add to in place, that joined products are
// added to, that forget reads; with and without previous gradients.
struct Mixture {
  Variable W{random::uniform(-1, 1, {16, 16})}, b{random::uniform(-1, 1, {16})}, E{random::uniform(-1, 1, {9, 16})},
      C{random::uniform(-1, 1, {2, 1, 3, 3})}, fresh{random::uniform(-1, 1, {16})}, x{random::uniform(-1, 1, {9, 16})};
  Variable between, beside, loss;
  Mixture() {
    for (Variable* v : leaves())
      if (v != &fresh) v->set_grad(random::uniform(-1, 1, v->shape()));
    Variable h = x;
    for (int i = 0; i < 3; ++i) h = F::tanh(F::linear(h, W, b));
    between = h;
    h = F::forget([this](const Variables& in) { return Variables{F::sigmoid(F::linear(in[0], W, b)) * fresh}; },
                  {h})[0];
    const Array ids = array({0, 2, 0, 1, 8, 3, 3, 3, 5});
    h = h + F::embed_id(ids, E) + F::embed_id(ids, E);
    const Variable image = F::reshape(h, {1, 1, 9, 16});
    const Variables parts = F::split_axis(F::convolution_2d(image, C) + F::convolution_2d(image, C), 2, 1);
    beside = parts[1];
    loss = F::sum(parts[0]) + F::sum(h * h);
    beside.set_grad(random::uniform(-1, 1, beside.shape()));
  }
  std::vector<Variable*> leaves() { return {&W, &b, &E, &C, &fresh, &x}; }
  std::vector<Variable*> all() {
    auto v = leaves();
    v.insert(v.end(), {&between, &beside, &loss});
    return v;
  }
};

struct Seen {
  const ArrayBody* array;  // not a handle, which would prevent adding in place
  Array elements;          // a copy
  std::optional<double> scale;
};
std::vector<Seen> state(Mixture& n) {
  std::vector<Seen> out;
  for (Variable* v : n.all()) {
    const Array g = v->grad();
    out.push_back({g ? &g.body() : nullptr, g ? g.copy() : Array(), v->node()->loss_scale()});
  }
  return out;
}
bool same(const Array& a, const Array& b) {
  if (!a || !b) return !a && !b;
  return a.shape() == b.shape() &&
         std::memcmp(a.contiguous().raw(), b.contiguous().raw(), static_cast<std::size_t>(a.nbytes())) == 0;
}
void expect_unchanged(Mixture& n, const std::vector<Seen>& before, const std::string& where) {
  const auto all = n.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Array g = all[i]->grad();
    if (!same(g, before[i].elements) || (g && &g.body() != before[i].array))
      test::fail(__FILE__, __LINE__, text("gradient ", i, " changed: ", where));
    if (all[i]->node()->loss_scale() != before[i].scale)
      test::fail(__FILE__, __LINE__, text("loss scale ", i, " changed: ", where));
    ++test::expectations;
  }
}

// Runs backward with a failure at each step in turn until a run succeeds; the result must equal that of a net without
// failures.
template <class Attempt>
int fail_everywhere(const BackwardOptions& options, Attempt&& attempt) {
  random::seed(1);
  Mixture expected;
  expected.loss.backward(options);
  random::seed(1);
  Mixture n;
  const auto before = state(n);
  int step = 0;
  for (; step < 3000; ++step) {
    if (attempt(n, step)) break;
    expect_unchanged(n, before, text("failure at step ", step));
    if (test::failures > 20) break;
  }
  const auto want = expected.all(), got = n.all();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT(same(got[i]->grad(), want[i]->grad()));
  return step;
}

}  // namespace

TEST(a_backward_that_throws_in_a_hook_changes_no_gradient) {
  for (const BackwardOptions& o :
       {BackwardOptions{}, BackwardOptions{.retain_grad = true}, BackwardOptions{.loss_scale = 64.0}}) {
    const int steps = fail_everywhere(o, [&](Mixture& n, int step) {
      FailsAt hook(step);
      const FunctionHookScope scope(hook);
      try {
        n.loss.backward(o);
        return true;
      } catch (const ValueError&) { return false; }
    });
    EXPECT(steps > 40);
  }
}

TEST(a_backward_without_memory_changes_no_gradient) {
  if (!failing_memory::works) return;
  const int64_t before = pool::outstanding();
  const int steps = fail_everywhere({}, [&](Mixture& n, int step) {
    try {
      const FailingMemory fails(step);
      n.loss.backward();
      return true;
    } catch (const std::bad_alloc&) { return false; }
  });
  EXPECT(steps > 60);
  EXPECT_EQ(pool::outstanding(), before);
}

TEST(a_gradient_hook_that_throws_changes_no_gradient) {
  struct Throws : GradientHook {
    void gradient_ready(VariableNode&) override { throw ValueError("on purpose"); }
  } hook;
  Variable a(array({1.0, 2.0})), c(array({5.0, 6.0}));
  a.set_grad(array({1.0, 1.0}));
  const Variable y = F::sum(a * c * a);
  {
    const GradientHookScope scope(hook);
    EXPECT_THROW(ValueError, "on purpose", (y.backward(), 0));
  }
  EXPECT_CLOSE(a.grad(), array({1.0, 1.0}));
  EXPECT(!c.grad() && !y.grad());
  y.backward();
  EXPECT_CLOSE(a.grad(), array({11.0, 25.0}));
}

// grad() does not change gradients of leaves, but forget and retain_grad do.
TEST(a_grad_that_throws_changes_no_gradient) {
  Variable W(array({1.0, 2.0})), x(array({3.0, 4.0}));
  const Variable h = x * 2.0, y = F::forget([&](const Variables&in) { return Variables{in[0] * W}; }, {h})[0];
  int step = 0;
  for (bool done = false; !done && step < 100; ++step) {
    FailsAt hook(step);
    const FunctionHookScope scope(hook);
    try {
      EXPECT(!W.grad() && !h.grad());
      (void)grad({y}, {x}, {.retain_grad = true});
      done = true;
    } catch (const ValueError&) {}
  }
  EXPECT(step > 5 && step < 100);
  EXPECT_CLOSE(W.grad(), array({6.0, 8.0}));
}
