// SPDX-License-Identifier: MIT
#include "chainer/graph_optimizations/schedule.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"
#include "chainer/array/version.h"
#include "chainer/autograd/backprop.h"
#include "chainer/autograd/backward_scope.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"

namespace chainer::static_graphs {
namespace {

// A copy with the same strides, including gaps in memory: a recording of it gives the same bits for `a`.
Array with_same_strides(const Array& a) {
  if (a.is_contiguous() || a.size() == 0) return a.copy();
  const Strides strides = a.strides();
  int64_t first = 0, last = 0;
  for (int d = 0; d < a.ndim(); ++d) (strides[d] < 0 ? first : last) += strides[d] * (a.shape()[d] - 1);
  const Array memory(Shape{last - first + 1}, a.dtype(), a.device());
  Array out(ArrayBody::view(memory.body_ref(), a.shape(), strides, -first));
  copy_elements(a, out);
  return out;
}

// An argument as seen by the recorded code: a separate variable, cut off from the caller's graph, in separate memory.
// The code may also reach the caller's array by other ways than this argument; such uses must not be recorded as uses
// of the argument, which is another array in the next call.
struct Argument : FunctionNode {
  std::string label() const override { return "StaticArgument"; }
  Arrays forward(const Arrays& x) override { return {with_same_strides(x[0])}; }
  Variables backward(const Indexes&, const Variables& gy) override { return gy; }
};

// Dense memory in any order of axes, from which with_layout() can make any layout.
Array dense_in_some_order(const Array& a) { return is_dense(a.body()) ? a : a.contiguous(); }

Array with_layout(const Array& a, const recording::Slot& s) {
  const Array dense = dense_in_some_order(a);
  if (s.dense) return dense.contiguous();
  return in_order(dense, memory_order(s.shape, s.strides));
}

// Sets gradients of parameters aside while a graph is differentiated separately.
class SetAside {
 public:
  explicit SetAside(const std::vector<Parameter>& parameters) : scope_(BackwardScope::current_loss_scale()) {
    for (const Parameter& p : parameters) {
      Variable v = p.variable();
      scope_.save(*v.node_pointer());
      before_.push_back(v.grad_var());
      variables_.push_back(v);
      v.cleargrad();
    }
  }
  // Returns true if the gradient of another variable changed: not one of the parameters, not one of `arguments`, and
  // still held by the caller.
  bool met_others(const Variables& arguments) const {
    std::unordered_set<const VariableNode*> known;
    for (const Variable& v : variables_) known.insert(v.node_pointer());
    for (const Variable& v : arguments)
      if (v) known.insert(v.node_pointer());
    bool others = false;
    scope_.each_leaf([&](const VariableNode& n) { others = others || (!known.count(&n) && Backprop::is_held(n)); });
    return others;
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;
  // Returns the gradients that were computed, and restores the previous ones.
  Variables take() {
    Variables out;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      out.push_back(variables_[i].grad_var());
      variables_[i].set_grad_var(before_[i]);
    }
    scope_.keep();
    return out;
  }

 private:
  BackwardScope scope_;  // restores gradients after an exception
  Variables before_, variables_;
};

// The gradients of parameters, to detect changes.
std::vector<std::tuple<Array, uint32_t, double>> gradients_of(const Members& members) {
  std::vector<std::tuple<Array, uint32_t, double>> out;
  for (const Parameter& p : members.parameters) {
    const Array g = p.grad();
    out.emplace_back(g, g ? memory_version(g) : 0, p.loss_scale());
  }
  return out;
}
bool same_gradients(const Members& members, const auto& before) {
  const auto now = gradients_of(members);
  return std::equal(now.begin(), now.end(), before.begin(), before.end(), [](const auto& a, const auto& b) {
    const auto& [x, x_version, x_scale] = a;
    const auto& [y, y_version, y_scale] = b;
    return (x ? y && x.is(y) : !y) && x_version == y_version && x_scale == y_scale;
  });
}

}  // namespace

Device device_of(const Variables& args, const Members& members) {
  for (const Variable& x : args)
    if (x) return x.array().device();
  if (!members.parameters.empty()) return members.parameters[0].array().device();
  return members.arrays.empty() ? Device() : members.arrays[0]->device();
}

Schedule::~Schedule() = default;

Variables Schedule::record(const Function& f, const Variables& args, const std::vector<Link*>& links, bool graph) {
  graph_ = graph;
  const Members members = Members::of(links, true);
  recorder_ = std::make_unique<recording::Recorder>(tape, device_of(args, members));
  plain_ = PlainState(members);
  const Arrays before = members.all();
  const auto gradients_before = gradients_of(members);
  for (const Array& a : before) {
    if (recorder_->knows(a)) recorder_->refuse("two members share memory");
    member_slots_.push_back(recorder_->bind(a, true));
  }
  for (const Variable& x : args) {
    if (!x) {
      inner_args_.push_back(Variable());
      argument_slots_.push_back(-1);
      continue;
    }
    inner_args_.push_back(x.requires_grad() && graph ? apply_single(Argument(), x)
                                                     : Variable(with_same_strides(x.array()), false));
    argument_slots_.push_back(recorder_->bind(inner_args_.back().array(), false));
  }
  std::vector<uint32_t> versions;
  for (const Variable& x : inner_args_) versions.push_back(x ? memory_version(x.array()) : 0);
  tape.phases.push_back(std::make_unique<recording::Phase>());
  Variables results;
  {
    const recording::Recorder::Scope scope(*recorder_, *tape.phases[0]);
    results = f(inner_args_);
    Arrays arrays;
    for (const Variable& y : results) {
      if (!y) recorder_->refuse("a result is empty");
      arrays.push_back(y.array());
    }
    if (recorder_->active()) recorder_->finish(arrays);
  }
  refused_ = recorder_->refused();
  write_back(args, versions);
  const Members after = Members::of(links, true);
  plain_.leave_out_changes(PlainState(after));
  const Arrays arrays_after = after.all();
  bool same = before.size() == arrays_after.size() && members.numbers == after.numbers;
  for (std::size_t i = 0; same && i < before.size(); ++i) same = before[i].is(arrays_after[i]);
  if (!same && refused_.empty())
    refused_ = "the call replaces a persistent value, or changes a persistent number or text";
  if (refused_.empty() && !same_gradients(members, gradients_before))
    refused_ = "the call changes gradients of parameters";
  if (refused_.empty() && graph) find_leaves(results, inner_args_, members);
  if (!refused_.empty()) {
    recorder_.reset();
    inner_args_ = Variables();
    return results;
  }
  bool wants = !leaves.empty();
  for (Variable& x : inner_args_) {
    wants = wants || (x && x.requires_grad());
    if (x && x.creator()) x.unchain();
  }
  graph_ = graph && wants;
  if (graph_)
    inner_results_ = results;
  else
    inner_args_ = Variables();
  Variables out;
  for (const Variable& y : results) out.push_back(y.array());
  return out;
}

// Copies what the code wrote to its arguments into the caller's arrays. (A replay writes to them directly.)
void Schedule::write_back(const Variables& args, const std::vector<uint32_t>& versions) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i] || memory_version(inner_args_[i].array()) == versions[i]) continue;
    Array to = args[i].array();
    copy_elements(inner_args_[i].array(), to);
  }
}

void Schedule::find_leaves(const Variables& results, const Variables& args, const Members& members) {
  std::unordered_set<const VariableNode*> met;
  std::vector<const VariableNode*> waiting;
  const auto visit = [&](const VariableNode* n) {
    if (n && n->requires_grad() && met.insert(n).second) waiting.push_back(n);
  };
  for (const Variable& x : args)
    if (x) met.insert(x.node_pointer());
  for (const Variable& y : results) visit(y.node_pointer());
  // A variable that the call keeps outside of it, such as a state, connects the graphs of calls.
  std::unordered_set<const VariableNode*> known;
  for (const Variables* list : {&results, &args})
    for (const Variable& v : *list)
      if (v) known.insert(v.node_pointer());
  std::unordered_set<const VariableNode*> ends;
  bool adds_to_others = false, is_kept = false;
  while (!waiting.empty()) {
    const VariableNode* n = waiting.back();
    waiting.pop_back();
    const FunctionNode* f = n->creator();
    if (!f) {
      ends.insert(n);
      continue;
    }
    adds_to_others = adds_to_others || f->adds_to_other_leaves();
    for (const VariableNode* y : f->outputs()) is_kept = is_kept || (y && Backprop::is_held(*y) && !known.count(y));
    for (const auto& x : f->inputs()) visit(x.get());
  }
  // A function that adds to leaves other than its inputs might add to any parameter.
  for (std::size_t i = 0; i < members.parameters.size(); ++i) {
    const VariableNode* n = members.parameters[i].variable().node_pointer();
    if (!n || !(ends.erase(n) || (adds_to_others && n->requires_grad()))) continue;
    leaves.push_back(i);
    leaf_parameters_.push_back(members.parameters[i]);
  }
  if (is_kept)
    refused_ = "a variable that the call makes is kept outside of it, such as a state: its gradient would be lost";
  // Variables made in the call that no longer exist: their gradients cannot be read.
  std::erase_if(ends, [](const VariableNode* n) { return !Backprop::is_held(*n); });
  if (!ends.empty())
    refused_ = "a variable that is neither an argument nor a parameter of the link requires a gradient";
}

Arrays Schedule::replay(const Arrays& args, const Members& members) {
  std::size_t k = 0;
  for (const int slot : argument_slots_)
    if (slot >= 0) tape.bind(slot, args[k++]);
  const Arrays all = members.all();
  for (std::size_t i = 0; i < member_slots_.size(); ++i) tape.bind(member_slots_[i], all[i]);
  return tape.run(*tape.phases[0]);
}

Variables Schedule::run_graph(const Indexes& wanted, const Variables& gy) {
  Variables outputs, given;
  for (std::size_t i = 0; i < gy.size(); ++i)
    if (gy[i]) outputs.push_back(inner_results_[i]), given.push_back(gy[i]);
  for (Variable& x : inner_args_)
    if (x) x.cleargrad();
  SetAside parameters(leaf_parameters_);
  {
    const ForceBackpropMode graph;
    outputs = F::identity(outputs);  // joined in one node
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].set_grad_var(given[i]);
  if (!outputs.empty() && outputs[0].requires_grad())
    outputs[0].backward({.loss_scale = BackwardScope::current_loss_scale()});
  if (recorder_ && refused_.empty() && parameters.met_others(inner_args_))
    recorder_->refuse(
        "a backward() adds to the gradient of a variable that is neither an argument nor a parameter in the "
        "graph: a function that differentiates others must override FunctionNode::adds_to_other_leaves()");
  const Variables by_parameter = parameters.take();
  Variables out;
  for (const int i : wanted) {
    const auto at = static_cast<std::size_t>(i);
    out.push_back(at < inner_args_.size() ? inner_args_[at].grad_var() : by_parameter[at - inner_args_.size()]);
  }
  for (Variable& x : inner_args_)
    if (x) x.cleargrad();
  return out;
}

Variables Schedule::record_backward(const Indexes& wanted, const Variables& gy, Backward way) {
  Variables given;
  auto phase = std::make_unique<recording::Phase>();
  phase->number = static_cast<int>(tape.phases.size());
  for (const Variable& g : gy) {
    if (!g) {
      given.push_back(Variable());
      continue;
    }
    Array mine = dense_in_some_order(g.array());
    if (recorder_->knows(mine)) mine = mine.copy();
    way.slots.push_back(recorder_->bind(mine, false));
    given.push_back(mine);
  }
  Variables out;
  broken_ = true;  // until backward completes
  {
    const recording::Recorder::Scope scope(*recorder_, *phase);
    out = run_graph(wanted, given);
    Arrays arrays;
    for (const Variable& g : out) {
      way.result.push_back(g ? static_cast<int>(arrays.size()) : -1);
      if (g) arrays.push_back(g.array());
    }
    if (recorder_->active()) recorder_->finish(arrays);
  }
  broken_ = false;
  way.wanted = wanted;
  way.phase = phase.get();
  tape.phases.push_back(std::move(phase));
  if (recorder_->refused().empty())
    ways_.push_back(std::make_unique<Backward>(std::move(way)));
  else
    refused_ = recorder_->refused();
  return out;
}

Variables Schedule::backward(const Indexes& wanted, const Variables& gy) {
  Backward way;
  for (const Variable& g : gy) way.given.push_back(static_cast<bool>(g));
  const auto& known = [&]() -> Backward* {
    for (const auto& w : ways_) {
      if (!std::equal(w->given.begin(), w->given.end(), way.given.begin(), way.given.end())) continue;
      if (std::includes(w->wanted.begin(), w->wanted.end(), wanted.begin(), wanted.end())) return w.get();
    }
    return nullptr;
  }();
  if (recorder_)
    return known || broken_ || !refused_.empty() ? run_graph(wanted, gy) : record_backward(wanted, gy, std::move(way));
  if (!known)
    throw RuntimeError(
        "static_graph: backward() needs gradients that the first iteration did not need (of other outputs, or with "
        "respect to other inputs). Such code is not a static graph; mark smaller parts of it as static");
  std::size_t next = 0;
  for (const Variable& g : gy) {
    if (!g) continue;
    const int slot = known->slots[next++];
    tape.bind(slot, with_layout(g.array(), tape.slots[static_cast<std::size_t>(slot)]));
  }
  const Arrays out = tape.run(*known->phase);
  Variables result;
  for (const int i : wanted) {
    const auto at = std::find(known->wanted.begin(), known->wanted.end(), i) - known->wanted.begin();
    const int k = known->result[static_cast<std::size_t>(at)];
    result.push_back(k < 0 ? Variable() : Variable(out[static_cast<std::size_t>(k)], false));
  }
  return result;
}

void Schedule::finish() {
  inner_args_ = inner_results_ = Variables();
  finished_ = true;
}

void Schedule::check() {
  if (!recorder_ || !finished_) return;
  if (recorder_->escaped() > 0 && refused_.empty())
    refused_ = chainer::text("arrays that the call makes are kept outside of it (", recorder_->escaped(), " of them)");
  recorder_.reset();
}

std::string Schedule::text() const {
  std::string out;
  for (const auto& phase : tape.phases) {
    out += chainer::text(phase->number == 0 ? "forward" : "backward", ": ", phase->steps.size(), " steps");
    if (phase->planned) out += chainer::text(", ", phase->bytes, " bytes");
    out += "\n" + tape.text(*phase);
  }
  return out;
}

}  // namespace chainer::static_graphs
