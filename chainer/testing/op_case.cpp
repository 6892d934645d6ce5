// SPDX-License-Identifier: MIT
#include "chainer/array/host.h"
#include "chainer/testing/op_case_parts.h"

#include <algorithm>
#include <cstring>

#include "chainer/autograd/function_node.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/core/parallel.h"
#include "chainer/core/pool.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"

namespace chainer::testing {
namespace {

enum class Layout { contiguous, transposed, padded, reversed, broadcast, channels_last };
struct NamedLayout {
  Layout layout;
  const char* name;
};
constexpr NamedLayout kLayouts[] = {{Layout::contiguous, "contiguous"}, {Layout::transposed, "transposed"},
                                    {Layout::padded, "padded"},         {Layout::reversed, "reversed"},
                                    {Layout::broadcast, "broadcast"},   {Layout::channels_last, "channels-last"}};

// The same elements with other strides; Layout::broadcast repeats the first element along axis 0 instead.
Array with_layout(const Array& a, Layout layout) {
  if (a.ndim() == 0 || layout == Layout::contiguous) return a;
  if (layout == Layout::transposed) return a.T().contiguous().T();
  if (layout == Layout::broadcast) return a.size() ? broadcast_to(a[Slice(0, 1)], a.shape()) : a;
  if (layout == Layout::channels_last) {  // axis 1 innermost
    if (a.ndim() < 3) return a;
    return moveaxis(moveaxis(a, 1, -1).contiguous(), -1, 1);
  }
  const Slice backward(std::nullopt, std::nullopt, -1);
  if (layout == Layout::reversed) return a[backward].copy()[backward];
  Shape wide = a.shape();
  wide[0] *= 2;
  Array padded(wide, a.dtype());
  padded.fill(-77);
  padded.set(Slice(std::nullopt, std::nullopt, 2), a);
  return padded[Slice(std::nullopt, std::nullopt, 2)];
}

Arrays with_layout(const Arrays& in, Layout layout) {
  Arrays out;
  // Labels and masks are not broadcast: their values may not fit the other inputs.
  for (const Array& a : in)
    out.push_back(layout == Layout::broadcast && !is_floating(a.dtype()) ? a : with_layout(a, layout));
  return out;
}
Arrays as_dtype(const Arrays& in, Dtype d) {
  Arrays out;
  for (const Array& a : in) out.push_back(is_floating(a.dtype()) ? a.astype(d) : a);
  return out;
}
Variables constants(const Arrays& in) {
  Variables out;
  for (const Array& a : in) out.push_back(Variable(a, false));
  return out;
}
Arrays forward(const OpCase& c, const Arrays& in) { return arrays_of(c.function(constants(in))); }

// Returns true if a layout checks nothing that another one does not check.
bool redundant(const OpCase& c, Layout layout) {
  return layout == Layout::channels_last &&
         std::none_of(c.inputs.begin(), c.inputs.end(), [](const Array& a) { return a.ndim() >= 3; });
}

// The case itself and, if it is elementwise, the case with one element and without elements.
std::vector<OpCase> shapes_of(const OpCase& c) {
  std::vector<OpCase> out{c};
  if (!c.elementwise) return out;
  OpCase scalar = c, empty = c;
  for (Array& a : scalar.inputs) a = a.ravel()[0].copy();
  for (Array& a : empty.inputs) a = zeros({2, 0, 3}, a.dtype());
  out.push_back(scalar);
  out.push_back(empty);
  return out;
}

}  // namespace

Arrays copies(const Arrays& in) {
  Arrays out;
  for (const Array& a : in) out.push_back(a ? a.copy() : a);
  return out;
}
Variables roots(const Arrays& in) {
  Variables out;
  for (const Array& a : in) out.push_back(Variable(a, is_floating(a.dtype())));
  return out;
}
Arrays arrays_of(const Variables& xs) {
  Arrays out;
  for (const Variable& x : xs) out.push_back(x.array());
  return out;
}
Arrays random_like(const Arrays& in, random::RandomState& r) {
  Arrays out;
  for (const Array& a : in) out.push_back(is_floating(a.dtype()) ? r.randn(a.shape()).astype(a.dtype()) : Array());
  return out;
}
void expect(bool condition, const std::string& what) {
  if (!condition) throw AssertionError(what);
}
bool same_bits(const Array& a, const Array& b) {
  const Array x = to_host(a).contiguous(), y = to_host(b).contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         (x.size() == 0 || std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0);
}

void check_forward(const OpCase& whole) {
  for (const OpCase& c : shapes_of(whole)) {
    for (const NamedLayout& l : kLayouts) {
      if ((l.layout == Layout::broadcast && !c.repeats) || redundant(c, l.layout)) continue;
      const Arrays in = copies(with_layout(c.inputs, l.layout));
      const Arrays expected = c.reference ? c.reference(in) : forward(c, in);
      for (Dtype d : {float64, float32, float16}) {
        named(text("forward of ", l.name, " ", d, " of shape ", in[0].shape()), [&] {
          const Arrays out = forward(c, as_dtype(with_layout(c.inputs, l.layout), d));
          expect(out.size() == expected.size(), text(out.size(), " results, expected ", expected.size()));
          const double tolerance = d == float64 ? c.double_tolerance : d == float32 ? c.tolerance : c.half_tolerance;
          for (std::size_t i = 0; i < out.size(); ++i) {
            const bool floating = is_floating(expected[i].dtype());
            expect(!floating || out[i].dtype() == (c.float64_result ? float64 : d),
                   text("result ", i, " has dtype ", out[i].dtype()));
            if (floating)
              assert_allclose(out[i], expected[i], {.atol = tolerance, .rtol = tolerance});
            else
              assert_allclose(out[i], expected[i], {.atol = 0, .rtol = 0});
          }
        });
      }
    }
  }
}

void check_gradients(const OpCase& whole) {
  if (!whole.differentiable) return;
  random::RandomState r(5);
  for (const OpCase& c : shapes_of(whole)) {
    for (const NamedLayout& l : kLayouts) {
      if (l.layout == Layout::broadcast && !whole.elementwise) continue;  // may create points that inputs avoid
      if (redundant(c, l.layout)) continue;
      const Arrays in = with_layout(c.inputs, l.layout);
      const Arrays gy = random_like(forward(c, in), r);
      named(text("backward of ", l.name, " inputs of shape ", in[0].shape()),
            [&] { gradient_check::check_backward(c.function, in, gy, {.eps = c.eps, .atol = 1e-7, .rtol = 1e-6}); });
      if (!c.twice || l.layout == Layout::broadcast || l.layout == Layout::reversed) continue;
      Arrays ggx;
      for (const Array& x : in)
        if (is_floating(x.dtype())) ggx.push_back(r.randn(x.shape()));
      named(text("double backward of ", l.name, " inputs of shape ", in[0].shape()), [&] {
        gradient_check::check_double_backward(c.function, in, gy, ggx, {.eps = c.eps, .atol = 1e-6, .rtol = 1e-5});
      });
    }
  }
  for (Dtype d : {float16, float32}) {
    Variables xs = roots(as_dtype(whole.inputs, d));
    Variables ys = F::identity(whole.function(xs));
    Arrays plain;
    for (bool graph : {false, true}) {
      for (Variable& y : ys) y.set_grad(ones_like(y.array()));
      ys[0].backward({.enable_double_backprop = graph});
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const Array g = xs[i].grad();
        xs[i].cleargrad();
        if (!graph) plain.push_back(g);
        if (!g) continue;
        expect(g.dtype() == d && g.shape() == xs[i].shape(),
               text("a gradient of ", g.dtype(), " and shape ", g.shape(), " for an input of ", xs[i].dtype(),
                    " and shape ", xs[i].shape()));
        const double tolerance = 2 * (d == float16 ? whole.half_tolerance : whole.tolerance);
        named(text("gradient ", i, " in ", d, " with a graph"),
              [&] { assert_allclose(g, plain[i], {.atol = tolerance, .rtol = tolerance}); });
      }
    }
  }
}

void check_graph(const OpCase& c) {
  for (const Variable& y : c.function(constants(c.inputs))) expect(!y.creator(), "a graph for inputs without gradient");
  if (!c.differentiable) return;
  const Arrays before = copies(c.inputs);
  Variables xs = roots(c.inputs);
  Variables ys = F::identity(c.function(xs));
  {
    const NoBackpropMode off;
    for (const Variable& y : c.function(xs)) expect(!y.creator(), "a graph in no_backprop_mode");
  }
  random::RandomState r(7);
  const Arrays gy = random_like(arrays_of(ys), r);
  const auto backward = [&](bool graph) {
    Arrays out;
    for (std::size_t i = 0; i < ys.size(); ++i) ys[i].set_grad(gy[i]);
    for (Variable& x : xs) x.cleargrad();
    ys[0].backward({.enable_double_backprop = graph});
    for (const Variable& x : xs) {
      const Variable g = x.grad_var();
      out.push_back(g.array());
      if (!graph && g) expect(!g.creator(), "a gradient with a graph, although none was requested");
    }
    return out;
  };
  const Arrays first = backward(false), second = backward(false), third = backward(true);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!first[i]) continue;
    expect(same_bits(first[i], second[i]), "a second backward pass gave another gradient");
    assert_allclose(first[i], third[i], {.atol = 1e-12, .rtol = 1e-12});
  }
  for (std::size_t i = 0; i < before.size(); ++i) expect(same_bits(before[i], c.inputs[i]), "an input was changed");
}

void check_large(const OpCase& c) {
  if (!c.elementwise) return;
  constexpr int64_t kSize = 70001;
  Arrays large;
  for (const Array& a : as_dtype(c.inputs, float32)) {
    const int64_t n = a.size();
    large.push_back(tile(a.ravel(), {(kSize + n - 1) / n})[Slice(0, kSize)].copy());
  }
  const Arrays small = forward(c, as_dtype(c.inputs, float32));
  Arrays first;
  for (int threads : {1, 2, 3}) {
    cpu::set_thread_count(threads);
    const Arrays later = forward(c, large);
    const Arrays at_once = [&] {
      const deferred::EagerMode eager;
      return forward(c, large);
    }();
    if (threads == 1) first = later;
    for (std::size_t i = 0; i < later.size(); ++i) {
      expect(same_bits(later[i], at_once[i]), text("deferred evaluation differs with ", threads, " threads"));
      expect(same_bits(later[i], first[i]), text("the result depends on the number of threads: ", threads));
      const Array begin = later[i][Slice(0, small[i].size())].reshape(small[i].shape());
      expect(same_bits(begin, small[i]), "the result depends on the size of the array");
    }
  }
  cpu::set_thread_count(0);
}

void check_leaks(const OpCase& c) {
  const auto run = [&] {
    Variables xs = roots(c.inputs);
    const Variables ys = F::identity(c.function(xs));
    if (!c.differentiable) return;
    Variables gs, wanted;
    for (const Variable& x : xs)
      if (x.requires_grad()) wanted.push_back(x);
    Variables ones;
    for (const Variable& y : ys) ones.push_back(ones_like(y.array()));
    for (const Variable& g : grad(ys, wanted, {.grad_outputs = ones, .enable_double_backprop = true}))
      if (g && g.creator()) gs.push_back(F::sum(g));
    for (const Variable& g : gs) (void)grad({g}, wanted);
    // Keeps gradients with a graph, which form a cycle with their nodes.
    Variable root = ys[0];
    for (std::size_t i = 0; i < ys.size(); ++i) Variable(ys[i]).set_grad_var(ones[i]);
    root.backward({.retain_grad = true, .enable_double_backprop = true});
  };
  run();  // the first run may allocate for good: constants, compiled primitives
  const int64_t before = pool::outstanding(), bytes = memory::statistics().in_use;
  run();
  expect(pool::outstanding() == before, text(pool::outstanding() - before, " arrays or nodes were left behind"));
  expect(memory::statistics().in_use == bytes, text(memory::statistics().in_use - bytes, " bytes were left behind"));
}

void check_op(const OpCase& c) {
  named(c.python.empty() ? c.name : text(c.name, " (", c.python, ")"), [&] {
    check_forward(c);
    check_gradients(c);
    check_graph(c);
    check_shared_gradients(c);
    check_dependent_inputs(c);
    check_inputs_alone(c);
    check_outputs_alone(c);
    check_outside_memory(c);
    check_large(c);
    check_mixed_precision(c);
    check_leaks(c);
  });
}

}  // namespace chainer::testing
