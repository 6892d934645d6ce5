// SPDX-License-Identifier: MIT
// Gradients along the paths between given variables.
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "chainer/autograd/backprop.h"
#include "chainer/autograd/backward_scope.h"

namespace chainer {

Variables grad_within(const Variables& outputs, const Variables& inputs, const Variables& border,
                      const GradOptions& o) {
  if (!o.grad_outputs.empty() && o.grad_outputs.size() != outputs.size())
    throw ValueError("grad: ", o.grad_outputs.size(), " grad_outputs for ", outputs.size(), " outputs");
  if (!o.grad_inputs.empty() && o.grad_inputs.size() != inputs.size())
    throw ValueError("grad: ", o.grad_inputs.size(), " grad_inputs for ", inputs.size(), " inputs");

  // 1. Traverses backward from the outputs: finds the functions, and for each node the functions that read it. Stops at
  // the border, and at functions of lower rank than all inputs: these ran before the inputs were computed, and
  // differentiating the end of a graph must not cost as much as traversing all of it.
  Backprop b;
  std::unordered_set<const VariableNode*> sources, ends;
  int lowest = std::numeric_limits<int>::max();
  for (const Variable& x : inputs) {
    sources.insert(x.node_pointer());
    lowest = std::min(lowest, x.rank());
  }
  for (const Variable& x : border) ends.insert(x.node_pointer());
  std::vector<Ref<FunctionNode>> waiting;
  std::unordered_map<const VariableNode*, std::vector<FunctionNode*>> readers;
  const auto visit = [&](const VariableNode* n) {
    if (!n || !n->requires_grad() || !n->creator() || n->creator()->rank() < lowest || ends.count(n)) return;
    if (b.first_visit(*n->creator())) waiting.push_back(n->creator_ref());
  };
  for (const Variable& y : outputs) visit(y.node_pointer());
  while (!waiting.empty()) {
    const Ref<FunctionNode> f = std::move(waiting.back());
    waiting.pop_back();
    for (const auto& x : f->inputs()) {
      readers[x.get()].push_back(f.get());
      visit(x.get());
    }
  }

  // 2. Traverses forward from the inputs: finds the functions on a path.
  std::unordered_set<const FunctionNode*> on_path;
  std::vector<const VariableNode*> frontier;
  for (const Variable& x : inputs)
    if (x.node_pointer()) frontier.push_back(x.node_pointer());
  while (!frontier.empty()) {
    const VariableNode* n = frontier.back();
    frontier.pop_back();
    for (FunctionNode* f : readers[n])
      if (on_path.insert(f).second)
        for (const VariableNode* y : f->outputs())
          if (y) frontier.push_back(y);
  }

  // 3. Backpropagation through these. Gradients are kept in a table instead of the nodes.
  const UsingConfig graph(&Config::enable_backprop, o.enable_double_backprop);
  const PlainPrecision plain;
  BackwardScope changes(o.loss_scale);
  std::unordered_map<const VariableNode*, Variable> gradients;
  b.walk = ++Backprop::walks;
  const auto enter = [&](const VariableNode* n) {
    if (n->creator() && on_path.count(n->creator()) && b.first_visit(*n->creator())) b.push(*n->creator());
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const VariableNode* n = outputs[i].node_pointer();
    if (!n) continue;
    Variable g = o.grad_outputs.empty() ? Variable() : o.grad_outputs[i];
    if (g && g.shape() != outputs[i].shape())
      throw ValueError("grad: grad_outputs[", i, "] has shape ", g.shape(), ", its output ", outputs[i].shape());
    Backprop::accumulate(gradients[n], g ? std::move(g) : Backprop::first_gradient(outputs[i], o.loss_scale));
    enter(n);
  }
  if (!o.grad_inputs.empty())
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (o.grad_inputs[i] && inputs[i].node_pointer())
        Backprop::accumulate(gradients[inputs[i].node_pointer()], Variable(o.grad_inputs[i]));
  while (!b.heap.empty()) {
    Backprop::check_interruption();
    FunctionNode* const f = &b.pop();
    Variables gy;
    bool any_gradient = false;
    for (VariableNode* n : f->outputs()) {
      const auto it = n ? gradients.find(n) : gradients.end();
      gy.push_back(it != gradients.end() ? it->second : Variable());
      if (!gy.back()) continue;
      any_gradient = true;
      if (o.retain_grad && Backprop::may_keep(*n, gy.back())) {
        changes.save(*n);
        n->grad = gy.back();
      }
      if (!sources.count(n)) gradients.erase(it);
    }
    if (!any_gradient) continue;
    Indexes wanted;
    for (std::size_t i = 0; i < f->inputs().size(); ++i) {
      const VariableNode* x = f->inputs()[i].get();
      if (x->requires_grad() && (sources.count(x) || (x->creator() && on_path.count(x->creator()))))
        wanted.push_back(static_cast<int>(i));
    }
    Variables out = Backprop::run(*f, wanted, gy);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!out[k]) continue;
      const VariableNode* x = f->inputs()[static_cast<std::size_t>(wanted[k])].get();
      Backprop::accumulate(gradients[x], std::move(out[k]));
      enter(x);
    }
  }
  Variables result;
  for (const Variable& x : inputs) {
    const auto it = gradients.find(x.node_pointer());
    result.push_back(x.node_pointer() && it != gradients.end() ? it->second : Variable());
    // (retain_grad applies to intermediate variables only.)
    if (x.node_pointer() && (o.set_grad || (o.retain_grad && x.node_pointer()->creator()))) {
      Variable target = x;
      changes.save(*target.node_pointer());
      target.set_grad_var(result.back());
    }
  }
  changes.keep();
  return result;
}

Variables grad(const Variables& outputs, const Variables& inputs, const GradOptions& o) {
  Variables result = grad_within(outputs, inputs, {}, o);
  // An input without a path is common; if no input has one, it is usually a mistake.
  if (!inputs.empty() && std::none_of(result.begin(), result.end(), [](const Variable& g) { return bool(g); }))
    warn(text(
        "grad: no path leads from the outputs back to ", inputs.size() == 1 ? "the input" : "any of the inputs",
        ": the gradients are none. Were the outputs computed from the inputs, outside of no_backprop_mode(), and with "
        "requires_grad?"));
  return result;
}

}  // namespace chainer
