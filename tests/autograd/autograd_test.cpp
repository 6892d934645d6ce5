// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <thread>

#include "chainer/autograd/computational_graph.h"
#include "chainer/function_hooks/function_hooks.h"
#include <chainer/testing/testing.h>
#include "test.h"

using namespace chainer;

TEST(first_steps_of_the_manual) {
  Variable x(array({5.f}));
  Variable y = x * x - 2 * x + 1;
  EXPECT_EQ(y.item<float>(), 16.f);
  y.backward();
  EXPECT_EQ(x.grad().item<float>(), 8.f);
  Variable m(array({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  Variable z = m * m - 2 * m + 1;
  EXPECT_THROW(ValueError, "requires its gradient to be set first", z.backward());
  z.set_grad(ones_like(z.array()));
  z.backward();
  EXPECT_CLOSE(m.grad(), array({{0.f, 2.f, 4.f}, {6.f, 8.f, 10.f}}));
}

TEST(leaf_gradients_accumulate_and_others_go) {
  Variable x(array({3.}));
  for (int i = 1; i <= 2; ++i) {
    Variable h = x * 2, y = h * h;
    y.backward();
    EXPECT(!h.grad());
    EXPECT_EQ(x.grad().item<double>(), 24. * i);
  }
  x.cleargrad();
  Variable h = x * 2, y = h * h;
  y.backward({.retain_grad = true});
  EXPECT_EQ(h.grad().item<double>(), 12.);
  y.backward();  // a second pass through the same graph
  EXPECT_EQ(x.grad().item<double>(), 48.);
}

TEST(higher_orders) {
  Variable x(array({2.}));
  Variable y = x * x * x;
  Variable g1 = grad({y}, {x}, {.enable_double_backprop = true})[0];
  Variable g2 = grad({g1}, {x}, {.enable_double_backprop = true})[0];
  Variable g3 = grad({g2}, {x})[0];
  EXPECT_EQ(g1.item<double>(), 12.);
  EXPECT_EQ(g2.item<double>(), 12.);
  EXPECT_EQ(g3.item<double>(), 6.);
  EXPECT(!x.grad());
  y.backward({.enable_double_backprop = true});
  Variable first = x.grad_var();
  x.cleargrad();
  first.backward();
  EXPECT_EQ(x.grad().item<double>(), 12.);
}

TEST(grad_follows_the_paths_between_only) {
  Variable a(array({2.})), b(array({3.})), c(array({4.}));
  Variable h = a * b, y = h * c;
  const Variables g = grad({y}, {h, a, Variable(array({1.}))});
  EXPECT_EQ(g[0].item<double>(), 4.);
  EXPECT_EQ(g[1].item<double>(), 12.);
  EXPECT(!g[2]);
  EXPECT(!c.grad() && !b.grad());
  const Variables w = grad(
      {y}, {a}, {.grad_outputs = {Variable(array({10.}))}, .grad_inputs = {Variable(array({1.}))}, .set_grad = true});
  EXPECT_EQ(w[0].item<double>(), 121.);
  EXPECT_EQ(a.grad().item<double>(), 121.);
}

TEST(no_graph_where_none_is_wanted) {
  Variable x(array({1.f}));
  {
    const NoBackpropMode no_graph;
    EXPECT(!(x * 2).creator());
    const ForceBackpropMode graph;
    EXPECT((x * 2).creator());
  }
  EXPECT((x * 2).creator());
  EXPECT(!(Variable(array({1.f}), false) * 2).creator());
  const Variable from_array = F::relu(array({-1.f, 2.f}));
  EXPECT(!from_array.requires_grad());
}

TEST(a_long_chain_runs_and_dies_without_recursion) {
  Variable x(array({1.}));
  {
    Variable h = x;
    for (int i = 0; i < 100000; ++i) h = h + 1e-6;
    h.backward();
  }
  EXPECT_EQ(x.grad().item<double>(), 1.);
  Variable h = x;
  for (int i = 0; i < 100000; ++i) h = h * 1.0;
  h.unchain_backward();
  EXPECT(!h.creator());
}

namespace {
int alive = 0;
struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  Counted(Counted&&) { ++alive; }
  ~Counted() { --alive; }
};
struct Watched : FunctionNode {
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {x[0] * x[0]};
  }
  Variables backward(const Indexes&, const Variables& gy) override { return {retained_input(0) * gy[0] * 2}; }
  Counted counted;
};
}  // namespace

TEST(graphs_are_freed_also_when_gradients_have_graphs) {
  {
    Variable x(array({3.}));
    Variable y = apply_single(Watched(), x);
    y.backward({.enable_double_backprop = true});  // the gradient of x refers to x
    EXPECT_EQ(x.grad().item<double>(), 6.);
  }
  EXPECT_EQ(alive, 0);
}

TEST(a_function_of_ones_own) {
  struct MulAdd : FunctionNode {
    Arrays forward(const Arrays& in) override {
      retain_inputs({0, 1});
      return {in[0] * in[1] + in[2]};
    }
    Variables backward(const Indexes&, const Variables& gy) override {
      auto [x, y] = retained_inputs<2>();
      return {gy[0] * y, gy[0] * x, gy[0]};
    }
  };
  const auto muladd = [](const Variables& v) { return apply(MulAdd(), v); };
  random::RandomState r(0);
  const Arrays x{r.randn({3, 2}), r.randn({3, 2}), r.randn({3, 2})}, gy{r.randn({3, 2})};
  gradient_check::check_backward(muladd, x, gy);
  gradient_check::check_double_backward(muladd, x, gy, {r.randn({3, 2}), r.randn({3, 2}), r.randn({3, 2})});
  EXPECT_EQ(MulAdd().label(), "MulAdd");
  const auto node = FunctionNode::make(MulAdd());
  (void)apply(node, {x[0], x[1], x[2]});
  EXPECT_THROW(RuntimeError, "applied only once", apply(node, {x[0], x[1], x[2]}));
}

TEST(wrong_gradients_are_caught) {
  struct Wrong : FunctionNode {
    explicit Wrong(int k) : kind(k) {}
    Arrays forward(const Arrays& x) override {
      retain_inputs({0});
      return {x[0] * x[0]};
    }
    Variables backward(const Indexes&, const Variables& gy) override {
      const Variable x = retained_input(0);
      if (kind == 0) return {gy[0] * x};                    // a factor is missing
      if (kind == 1) return {F::sum(gy[0])};                // another shape
      if (kind == 2) return {F::cast(gy[0] * x, float32)};  // another dtype
      return {gy[0], gy[0]};                                // too many
    }
    int kind;
  };
  const Array x = array({1., 2.}), gy = array({1., 1.5});
  const auto check = [&](int k) {
    gradient_check::check_backward([k](const Variables& v) { return apply(Wrong(k), v); }, {x}, {gy});
  };
  EXPECT_THROW(AssertionError, "check_backward failed", check(0));
  EXPECT_THROW(ValueError, "shape", check(1));
  EXPECT_THROW(TypeError, "dtype", check(2));
  EXPECT_THROW(ValueError, "returned 2 gradients", check(3));
}

TEST(numerical_gradients) {
  Array x = array({1., 2.});
  const auto f = [&] { return Arrays{x * x}; };
  EXPECT_CLOSE(gradient_check::numerical_grad(f, {x}, {array({1., 10.})})[0], array({2., 40.}));
  Array z = array({0.});
  EXPECT_THROW(NondifferentiableError, "not differentiable",
               gradient_check::numerical_grad([&] { return Arrays{absolute(z)}; }, {z}, {array({1.})},
                                              {.detect_nondifferentiable = true}));
}

TEST(old_style_functions) {
  struct Square : Function {
    Arrays forward(const Arrays& x) override { return {x[0] * x[0]}; }
    Arrays backward(const Arrays& x, const Arrays& gy) override { return {x[0] * gy[0] * 2}; }
  };
  Variable x(array({3.}));
  Variable y = apply_old(Square(), {x})[0];
  EXPECT_EQ(y.creator()->label(), "Square");
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 6.);
  const Variable g = grad({apply_old(Square(), {x})[0]}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_THROW(RuntimeError, "cannot twice-differentiate an old style Function \"Square\"", grad({g}, {x}));
}

TEST(type_checks_show_condition_and_values) {
  const Array i = array({1, 2});
  EXPECT_THROW(
      InvalidType,
      "Invalid operation is performed in: ReLU (Forward)\n\nExpect: x.dtype().kind() == 'f'\nActual: 'i' != 'f'",
      F::relu(Variable(i, false)));
  EXPECT_THROW(InvalidType, "Expect: x.shape()[1] == W.shape()[1]\nActual: 3 != 4",
               F::linear(zeros({2, 3}), zeros({5, 4})));
  EXPECT_THROW(InvalidType, "Expect: in_types[0].dtype() == in_types[1].dtype()\nActual: float32 != float64",
               Variable(zeros({2}), false) + Variable(zeros({2}, float64), false));
  struct Checked : FunctionNode {
    void check_type_forward(const type_check::TypeInfos& in) const override {
      using type_check::expect;
      expect(in.size() == 1, in[0].ndim() == 2);
      expect(in[0].shape(0) * 2 + 1 == in[0].shape(1) - type_check::make_variable(n, "n"));
    }
    Arrays forward(const Arrays& x) override { return x; }
    int n = 3;
  };
  EXPECT_THROW(InvalidType, "Expect: in_types[0].shape()[0] * 2 + 1 == in_types[0].shape()[1] - n\nActual: 5 != 3",
               apply(Checked(), {zeros({2, 6})}));
  EXPECT_THROW(InvalidType, "Expect: in_types[0].ndim() == 2\nActual: 1 != 2", apply(Checked(), {zeros({2})}));
  const UsingConfig off(&Config::type_check, false);
  (void)apply(Checked(), {zeros({2})});
}

namespace {
// A user's function, although its name contains that of a library function.
template <class Wrapped>
struct Conditioned : FunctionNode {
  void check_type_forward(const type_check::TypeInfos& in) const override { type_check::expect(in[0].ndim() == 2); }
  Arrays forward(const Arrays& x) override { return x; }
};
}  // namespace

TEST(without_type_check_conditions_of_user_functions_are_theirs) {
  const UsingConfig off(&Config::type_check, false);
  (void)apply(Conditioned<functions::Exp>(), {zeros({2})});
  EXPECT_THROW(TypeError, "float32", F::linear(zeros({3}), zeros({5, 4})));
}

TEST(debug_mode_finds_nan) {
  const UsingConfig debug(&Config::debug, true);
  EXPECT_THROW(RuntimeError, "NaN is detected on forward computation of log", F::log(array({-1.})));
  Variable x(array({0.}));
  Variable y = F::sqrt(x);
  EXPECT_THROW(RuntimeError, "NaN is detected on", (y * 0.0).backward());  // 0 * inf in the gradient
  struct NaNGradient : FunctionNode {
    Arrays forward(const Arrays& v) override { return v; }
    Variables backward(const Indexes&, const Variables& gy) override {
      return {Variable(full_like(gy[0].array(), NAN), false)};
    }
  };
  EXPECT_THROW(RuntimeError, "NaN is detected on backward computation of NaNGradient",
               apply_single(NaNGradient(), x).backward());
}

TEST(configuration_scopes) {
  EXPECT(config().train);
  {
    const UsingConfig test_mode("train", false);
    EXPECT(!config().train);
    std::thread([] { EXPECT(config().train); }).join();  // configurations are per thread
  }
  EXPECT(config().train);
  const UsingConfig mine("user_key", 3);
  EXPECT_EQ(config().get<int>("user_key"), 3);
  EXPECT_THROW(KeyError, "no entry named 'user_other'", config().get<int>("user_other"));
  EXPECT(config().show().find("enable_backprop                True") != std::string::npos);
  const UsingConfig narrow(&Config::dtype, float16);
  EXPECT_EQ(Parameter(initializers::One(), Shape{2}).dtype(), float16);
}

TEST(function_hooks_see_forward_and_backward) {
  function_hooks::TimerHook timer;
  {
    const FunctionHookScope scope(timer);
    EXPECT_THROW(KeyError, "already exists", FunctionHookScope(timer));
    Variable x(array({1.f}));
    F::exp(x).backward();
  }
  EXPECT_EQ(timer.call_history().size(), std::size_t(3));  // exp, its backward, and the product inside it
  EXPECT(timer.total_time() > 0);
  EXPECT_EQ(timer.summary().at("ExpNode").occurrence, 2);
  std::FILE* file = std::tmpfile();
  timer.print_report(file);
  function_hooks::PrintHook printer("\n", file);
  {
    const FunctionHookScope scope(printer);
    (void)F::exp(array({1.f}));
  }
  std::rewind(file);
  std::string text(5000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT(text.find("FunctionName") != text.npos && text.find("function\texp") != text.npos &&
         text.find("- shape: (1,)") != text.npos);
  function_hooks::MemoryProfileHook memory;
  {
    const FunctionHookScope scope(memory);
    (void)F::exp(zeros({1000, 100}));
  }
  EXPECT(memory.total_used_bytes() >= 400000);
}

// If a function throws, its measurement by a hook ends.
TEST(hooks_that_measure_survive_exceptions) {
  struct Throws : FunctionNode {
    Arrays forward(const Arrays& x) override {
      if (x[0].size() == 1) throw ValueError("no forward today");
      return {x[0].copy()};
    }
    Variables backward(const Indexes&, const Variables&) override { throw ValueError("no backward today"); }
  };
  const bool before = deferred::enabled();
  const auto check = [&](auto& hook) {
    const FunctionHookScope scope(hook);
    EXPECT_THROW(ValueError, "no forward", apply(Throws(), {Variable(ones({1}))}));
    EXPECT_EQ(deferred::enabled(), before);
    EXPECT_THROW(ValueError, "no backward", (F::sum(apply(Throws(), {Variable(ones({2}))})[0]).backward(), 0));
    EXPECT_EQ(deferred::enabled(), before);
    (void)F::exp(ones({2}));
    EXPECT_EQ(hook.call_history().back().depth, 0);
  };
  function_hooks::TimerHook timer;
  function_hooks::MemoryProfileHook memory;
  check(timer);
  check(memory);
}

TEST(graph_as_dot) {
  Variable x(array({{1.f, 2.f}}));
  x.set_name("x");
  const Variable y = F::sum(F::relu(x * 2));
  const std::string dot = computational_graph::build_computational_graph({y}).dump();
  EXPECT(dot.find("digraph graphname{rankdir=TB;") == 0);
  EXPECT(dot.find("label=\"_ * 2\"") != dot.npos && dot.find("label=\"x: (1, 2), float32\"") != dot.npos &&
         dot.find("label=\"ReLU\"") != dot.npos);
  computational_graph::GraphOptions o;
  o.rankdir = "XX";
  EXPECT_THROW(ValueError, "rankdir", computational_graph::build_computational_graph({y}, o).dump());
  EXPECT_THROW(NotImplementedError, "dot", computational_graph::build_computational_graph({y}).dump("png"));
}

TEST(forget_computes_again) {
  const auto f = [](const Variables& x) { return Variables{F::tanh(x[0] * x[1])}; };
  random::RandomState r(0);
  const Arrays x{r.randn({2, 3}), r.randn({2, 3})}, gy{r.randn({2, 3})};
  const auto forgotten = [&](const Variables& v) { return F::forget(f, v); };
  gradient_check::check_backward(forgotten, x, gy);
  gradient_check::check_double_backward(forgotten, x, gy, {r.randn({2, 3}), r.randn({2, 3})});
}

TEST(variables_and_their_text) {
  Variable x(array({1.f, 2.f}));
  EXPECT_EQ(x.label(), "(2,), float32");
  EXPECT_EQ(len(x), 2);
  x.set_name("x");
  EXPECT_EQ(x.summary(), "<variable x>");
  EXPECT_EQ(to_string(x), "variable x([1. 2.])");
  EXPECT(x.debug_print().find("statistics: mean=1.50000000, std=0.50000000") != std::string::npos);
  EXPECT_THROW(ValueError, "shape", x.set_grad(array({1.f})));
  EXPECT_THROW(TypeError, "dtype", x.set_grad(array({1., 2.})));
  x.set_grad(array({0.f, 0.f}));
  EXPECT(x.debug_print().find("- grad: 0") != std::string::npos);
  Variable s = x[{Slice(0, 1)}];
  EXPECT_EQ(s.shape(), Shape{1});
  Variable total;
  total += x;
  EXPECT_EQ(total.shape(), Shape{2});
}

TEST(parameters_start_as_the_manual_says) {
  Parameter nan(std::nullopt, Shape{2});
  EXPECT(std::isnan(nan.array().to_vector<double>()[0]) && std::isnan(nan.grad().to_vector<double>()[0]));
  Parameter later{InitializerArg(3)};
  EXPECT(!later.is_initialized());
  Parameter alias = later;
  later.cleargrad();
  later.initialize({2, 2});
  EXPECT(alias.is_initialized() && alias.array().to_vector<double>()[3] == 3 && !alias.grad());
  Parameter data(array({1., 2.}));
  EXPECT_EQ(data.dtype(), float64);
  Parameter target{InitializerArg(0)};
  target.copydata(data);
  EXPECT_CLOSE(target.array(), array({1.f, 2.f}));
}

TEST(copydata_between_views_of_one_memory) {
  Array a = arange(5000).astype(float32);
  Variable later(a[Slice(1, 5000)]), sooner(a[Slice(0, 4999)]);
  later.copydata(sooner);
  EXPECT_CLOSE(a[Slice(1, 5000)], arange(4999).astype(float32), {0, 0});
  sooner.copydata(later);
  EXPECT_CLOSE(a[Slice(0, 4999)], arange(4999).astype(float32), {0, 0});
}

TEST(reporter_and_summaries) {
  Reporter reporter;
  int a = 0, b = 0;
  reporter.add_observer("main", &a);
  Observation seen;
  {
    const auto current = reporter.make_current();
    const auto scope = reporter.scope(seen);
    report({{"loss", 1.5}}, &a);
    report({{"plain", Variable(array({2.f})) * 1}});
    EXPECT_THROW(KeyError, "not added", report({{"x", 1}}, &b));
  }
  report({{"nobody", 1}});
  EXPECT_EQ(seen.size(), std::size_t(2));
  EXPECT_EQ(seen.at("main/loss").number(), 1.5);
  EXPECT(!seen.at("plain").variable()->creator());
  Summary s;
  s.add(1, 1);
  s.add(2, 3);
  EXPECT_EQ(s.compute_mean(), 1.75);
  EXPECT_CLOSE(array(s.make_statistics().second), array(0.4330127018922193), {.rtol = 1e-12});
  DictSummary d;
  d.add({{"x", 1}, {"text", "skipped"}, {"w", ReportValue(4, 2)}});
  d.add({{"x", 3}});
  EXPECT_EQ(d.compute_mean().at("x"), 2.);
  EXPECT_EQ(d.make_statistics().at("x.std"), 1.);
  EXPECT_EQ(d.compute_mean().count("text"), std::size_t(0));
}

TEST(two_threads_build_graphs) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; ++k)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        Variable x(ones({4, 4}));
        Variable y = F::sum(F::tanh(x * 2) + x);
        y.backward();
        EXPECT(x.grad());
      }
    });
  for (auto& t : threads) t.join();
}

TEST(asserting_closeness) {
  using testing::assert_allclose;
  EXPECT_THROW(AssertionError, "the worst at (1,)", assert_allclose(array({1., 2.}), array({1., 3.})));
  EXPECT_THROW(AssertionError, "shapes differ", assert_allclose(array({1.}), array({1., 3.})));
  assert_allclose(array({NAN, INFINITY}), array({NAN, INFINITY}));
}
