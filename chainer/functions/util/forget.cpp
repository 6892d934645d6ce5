// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "chainer/autograd/backward_scope.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/autograd/repeated_state.h"
#include "chainer/functions/math.h"
#include "chainer/functions/util.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"

namespace chainer::functions {
namespace {

using Func = std::function<Variables(const Variables&)>;

struct ForgetNode : FunctionNode {
  // The function takes the first `count` inputs.
  ForgetNode(Func f, std::size_t count)
      : func(std::move(f)), count(count), train(config().train), dtype(config().dtype.get()) {}
  std::string label() const override { return "Forget"; }
  bool adds_to_other_leaves() const override { return true; }  // to those that func reads
  bool keeps_inputs() const override { return true; }
  MixedPrecision mixed_precision() const override { return MixedPrecision::any_mix; }
  Arrays forward(const Arrays& in) override {
    Indexes all;
    for (std::size_t i = 0; i < in.size(); ++i) all.push_back(static_cast<int>(i));
    retain_inputs(all);
    if (!made.empty()) return std::exchange(made, {});
    const NoBackpropMode no_graph;
    Variables xs;
    for (std::size_t i = 0; i < count; ++i) xs.push_back(in[i]);
    const random::State before = random::state();
    Arrays out;
    const StateScope recording(state, StateScope::record);
    for (const Variable& y : func(xs)) out.push_back(y.array());
    if (random::state() != before) drawn_from = before;
    return out;
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const UsingConfig recomputing(&Config::in_recomputing, true);
    const UsingConfig as_before(&Config::train, train), in_dtype(&Config::dtype, dtype);
    // The backward functions below draw nothing, so that the same numbers may be used until the end.
    std::optional<random::RepeatedDraws> draws;
    if (drawn_from) draws.emplace(*drawn_from);
    const auto with_gradients = [&](const Variables& ys) {
      if (ys.size() != gy.size())
        throw RuntimeError("forget: the function returned ", gy.size(), " variables at first, and ", ys.size(),
                           " when it was computed again");
      Variables out;
      for (std::size_t i = 0; i < ys.size(); ++i)
        if (gy[i]) out.push_back(ys[i]);
      return out;
    };
    const auto again = [&](const Variables& xs) {
      const StateScope as_recorded(state, StateScope::repeat);
      return func(xs);
    };
    if (config().enable_backprop) {
      const auto checked = [&](const Variables& all) {
        const Variables xs = first(all), ys = again(xs);
        if (reads_other_leaves(with_gradients(ys), xs))
          throw RuntimeError(
              "forget: the function reads parameters or other variables besides its inputs, which would get no "
              "gradient when the graph of the gradients is built; pass them as inputs");
        return ys;
      };
      return partial_gradients(checked, retained_inputs(), wanted, gy);
    }
    // Cut off from their graph, so that the walk below ends at them.
    Variables xs, outputs;
    for (const Variable& x : first(retained_inputs())) xs.push_back(Variable(x.array(), x.requires_grad()));
    // This also adds to the gradients of parameters that the function reads. Identity joins all outputs in one node.
    {
      const ForceBackpropMode graph;
      outputs = identity(with_gradients(again(xs)));
    }
    const Variables grads = with_gradients(gy);
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].set_grad_var(grads[i]);
    if (!outputs.empty() && outputs[0].requires_grad())
      outputs[0].backward({.loss_scale = BackwardScope::current_loss_scale()});
    Variables gx;
    for (int i : wanted)
      gx.push_back(static_cast<std::size_t>(i) < count ? xs[static_cast<std::size_t>(i)].grad_var() : Variable());
    return gx;
  }
  Variables first(const Variables& all) const { return Variables(all.begin(), all.begin() + count); }
  // Returns true if a graph between `xs` and `outputs` has leaves, other than `xs`, that require gradients.
  static bool reads_other_leaves(const Variables& outputs, const Variables& xs) {
    std::set<const VariableNode*> met;
    for (const Variable& x : xs) met.insert(x.node_pointer());
    std::vector<const VariableNode*> waiting;
    const auto visit = [&](const VariableNode* n) {
      if (n && n->requires_grad() && met.insert(n).second) waiting.push_back(n);
    };
    for (const Variable& y : outputs) visit(y.node_pointer());
    while (!waiting.empty()) {
      const FunctionNode* f = waiting.back()->creator();
      waiting.pop_back();
      if (!f) return true;
      for (const auto& x : f->inputs()) visit(x.get());
    }
    return false;
  }
  Func func;
  std::size_t count;
  bool train;
  DefaultDtype dtype;
  Arrays made;  // outputs that were computed before forward()
  std::optional<random::State> drawn_from;
  StateRecord state;
};

}  // namespace

Variables Forget::operator()(Func func, const Variables& xs) const {
  // A recorder (an exporter) needs to see the operations inside.
  if (CompositeRecorder::current) return func(xs);
  const std::size_t count = xs.size();
  if (!config().enable_backprop ||
      std::any_of(xs.begin(), xs.end(), [](const Variable& x) { return x && x.requires_grad(); }))
    return apply(ForgetNode(std::move(func), count), xs);
  // No input needs a gradient, but parameters that func reads may: only its graph tells.
  const random::State before = random::state();
  StateRecord state;
  const Variables ys = [&] {
    const StateScope recording(state, StateScope::record);
    return func(xs);
  }();
  if (std::none_of(ys.begin(), ys.end(), [](const Variable& y) { return y.requires_grad(); })) return ys;
  ForgetNode node(std::move(func), count);
  for (const Variable& y : ys) node.made.push_back(y.array());
  if (random::state() != before) node.drawn_from = before;
  node.state = std::move(state);
  Variables more = xs;
  const Device device = xs.empty() || !xs[0] ? Device() : xs[0].device();
  more.push_back(Variable(zeros({}, float32, device), true));  // makes apply() record the node
  return apply(std::move(node), more);
}
Variable Forget::operator()(const std::function<Variable(const Variable&)>& func, const Variable& x) const {
  return (*this)([func](const Variables& v) { return Variables{func(v[0])}; }, {x})[0];
}

}  // namespace chainer::functions
