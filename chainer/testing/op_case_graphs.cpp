// SPDX-License-Identifier: MIT
// The checks of op_case.h that combine gradients in graphs.
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"
#include "chainer/testing/op_case_parts.h"

namespace chainer::testing {
namespace {

// One variable for each input, its second use, and the expected gradients.
struct SharedGraph {
  Variables xs, others, ys;  // others[i] is added to xs[i]; the sums are the last elements of ys
  std::vector<std::size_t> floating;

  // If `of_results`, xs are results of a function, so their gradients are passed on instead of kept in a leaf.
  SharedGraph(const OpCase& c, bool of_results) {
    Variables leaves = roots(c.inputs);
    for (Variable& x : leaves) xs.push_back(of_results && x.requires_grad() ? x * 1.0 : x);
    ys = c.function(xs);
    int rank = 0;
    for (const Variable& y : ys) rank = std::max(rank, y.rank());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      others.push_back(Variable());
      if (!xs[i].requires_grad()) continue;
      floating.push_back(i);
      others[i] = Variable(zeros_like(xs[i].array()));
      // Its rank is higher than that of the function's nodes, so backward processes the `add` first.
      Variable late = others[i];
      while (late.rank() <= rank) late = F::identity(late);
      ys.push_back(xs[i] + late);
    }
    ys = F::identity(ys);
  }
};

void check_shared_graph(const OpCase& c, bool of_results) {
  random::RandomState r(11);
  SharedGraph g(c, of_results);
  const Arrays gy = random_like(arrays_of(g.ys), r), gy_before = copies(gy);
  const std::size_t results = g.ys.size() - g.floating.size();
  Variables xs, grad_outputs;
  for (std::size_t i : g.floating) xs.push_back(g.xs[i]);
  for (std::size_t i = 0; i < results; ++i) grad_outputs.push_back(Variable(gy[i], false));
  const Variables alone = grad(Variables(g.ys.begin(), g.ys.begin() + results), xs, {.grad_outputs = grad_outputs});

  Arrays set, expected;  // set by the caller before; expected after each backward
  for (std::size_t k = 0; k < xs.size(); ++k) {
    set.push_back(random_like({xs[k].array()}, r)[0]);
    expected.push_back(of_results ? zeros_like(set[k]) : set[k].copy());
    if (!of_results) g.xs[g.floating[k]].set_grad(set[k]);
  }
  const Arrays set_before = copies(set);
  Arrays kept, kept_before;
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i < g.ys.size(); ++i) g.ys[i].set_grad(gy[i]);
    g.ys[0].backward({.retain_grad = of_results});
    for (std::size_t k = 0; k < xs.size(); ++k) {
      const Array& from_add = gy[results + k];
      Array step = from_add;
      if (alone[k]) step = step + alone[k].array();
      expected[k] = of_results ? step : expected[k] + step;
      assert_allclose(xs[k].grad(), expected[k], {.atol = 1e-12, .rtol = 1e-12});
      const Variable& other = g.others[g.floating[k]];
      assert_allclose(other.grad(), from_add * (time + 1.0), {.atol = 0, .rtol = 1e-15});
      for (const Array& a : {xs[k].grad(), other.grad()}) kept.push_back(a), kept_before.push_back(a.copy());
    }
  }
  const auto expect_same = [](const Arrays& a, const Arrays& before, const char* what) {
    for (std::size_t i = 0; i < a.size(); ++i)
      expect(!a[i] || same_bits(a[i], before[i]), text(what, " ", i, " was changed by backward"));
  };
  expect_same(gy, gy_before, "the gradient of output");
  expect_same(set, set_before, "the array set as gradient of input");
  expect_same(kept, kept_before, "the gradient kept from an earlier backward");
}

}  // namespace

void check_shared_gradients(const OpCase& c) {
  if (!c.differentiable) return;
  for (bool of_results : {false, true})
    named(text("gradients that share memory, of ", of_results ? "results" : "leaves"),
          [&] { check_shared_graph(c, of_results); });
}

namespace {

void check_dependence(const OpCase& c, std::size_t first) {
  named(text("gradients where inputs depend on input ", first), [&] {
    const Variables leaves = roots(c.inputs);
    if (!leaves[first].requires_grad()) return;
    const Variable change = 0.1 * (F::sum(leaves[first]) - chainer::sum(c.inputs[first]));  // 0, with nonzero gradient
    Variables xs, wanted, grad_outputs;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const Variable& x = leaves[i];
      xs.push_back(x.requires_grad() && i != first ? x + F::broadcast_to(change, x.shape()) : x);
      if (x.requires_grad()) wanted.push_back(x);
    }
    const Variables ys = F::identity(c.function(xs));
    random::RandomState r(13);
    for (const Array& g : random_like(arrays_of(ys), r)) grad_outputs.push_back(Variable(g, false));
    const auto gradients = [&](bool graph) {
      return grad(ys, wanted, {.grad_outputs = grad_outputs, .enable_double_backprop = graph});
    };
    const Variables plain = gradients(false), with_graph = gradients(true);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      expect(static_cast<bool>(plain[i]) == static_cast<bool>(with_graph[i]),
             text("only one of gradients ", i, " is empty"));
      if (plain[i]) assert_allclose(plain[i].array(), with_graph[i].array(), {.atol = 1e-10, .rtol = 1e-10});
    }
  });
}

}  // namespace

void check_dependent_inputs(const OpCase& c) {
  if (!c.differentiable) return;
  for (std::size_t first = 0; first < c.inputs.size(); ++first) check_dependence(c, first);
}

void check_inputs_alone(const OpCase& c) {
  if (!c.differentiable) return;
  const Variables all = roots(c.inputs);
  const Arrays once = arrays_of(c.function(all)), again = arrays_of(c.function(all));
  for (std::size_t i = 0; i < once.size(); ++i)
    if (!same_bits(once[i], again[i])) return;  // uses random numbers
  random::RandomState r(19);
  const Arrays gy = random_like(once, r);
  const auto gradient = [&](const Variables& xs, std::size_t i, bool graph) {
    const Variables outputs = c.function(xs);
    Variables ys, grad_outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (outputs[k].requires_grad()) ys.push_back(outputs[k]), grad_outputs.push_back(Variable(gy[k], false));
    if (ys.empty()) return Variable();
    return grad(ys, {xs[i]}, {.grad_outputs = grad_outputs, .enable_double_backprop = graph})[0];
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].requires_grad()) continue;
    for (bool graph : {false, true}) {
      named(text("gradient of input ", i, " alone", graph ? ", with a graph" : ""), [&] {
        Variables one;
        for (std::size_t k = 0; k < all.size(); ++k) one.push_back(Variable(c.inputs[k], k == i));
        const Variable together = gradient(all, i, graph), alone = gradient(one, i, graph);
        expect(static_cast<bool>(together) == static_cast<bool>(alone), "the gradient is empty in one case only");
        if (alone) assert_allclose(alone.array(), together.array(), {.atol = 1e-12, .rtol = 1e-12});
      });
    }
  }
}

void check_outputs_alone(const OpCase& c) {
  if (!c.differentiable) return;
  const Variables xs = roots(c.inputs);
  Variables wanted, ys;
  for (const Variable& x : xs)
    if (x.requires_grad()) wanted.push_back(x);
  for (const Variable& y : c.function(xs))
    if (y.requires_grad()) ys.push_back(y);
  if (ys.size() < 2) return;
  random::RandomState r(17);
  const Arrays gy = random_like(arrays_of(ys), r);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    for (bool graph : {false, true}) {
      named(text("gradients of output ", i, " alone", graph ? ", with a graph" : ""), [&] {
        const Variables alone =
            grad({ys[i]}, wanted, {.grad_outputs = {Variable(gy[i], false)}, .enable_double_backprop = graph});
        Variables with_zeros;
        for (std::size_t k = 0; k < ys.size(); ++k)
          with_zeros.push_back(Variable(k == i ? gy[k] : zeros_like(gy[k]), false));
        const Variables all = grad(ys, wanted, {.grad_outputs = with_zeros, .enable_double_backprop = graph});
        for (std::size_t k = 0; k < wanted.size(); ++k) {
          const auto or_zeros = [&](const Variable& g) { return g ? g.array() : zeros_like(wanted[k].array()); };
          assert_allclose(or_zeros(alone[k]), or_zeros(all[k]), {.atol = 1e-12, .rtol = 1e-12});
        }
      });
    }
  }
}

}  // namespace chainer::testing
