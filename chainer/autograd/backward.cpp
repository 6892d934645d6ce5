// Backpropagation: Variable::backward over the whole graph behind a variable, grad() along chosen paths.
#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "chainer/autograd/function_hook.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/gradient_hook.h"
#include "chainer/autograd/joined_products.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer {

struct Backprop {
  // Functions by rank, the later ones first; among equals in the order they were met.
  struct Entry {
    int rank;
    std::size_t order;
    FunctionNode* f;  // alive: the graph belongs to the variable that backward() was called on
    bool operator<(const Entry& o) const { return rank != o.rank ? rank < o.rank : order > o.order; }
  };
  std::vector<Entry> heap;
  std::size_t met = 0;
  uint64_t walk = ++walks;
  static inline std::atomic<uint64_t> walks{0};

  bool first_visit(FunctionNode& f) { return std::exchange(f.visit_, walk) != walk; }
  void push(FunctionNode& f) {
    heap.push_back({f.rank_, met++, &f});
    if (heap.size() > 1) std::push_heap(heap.begin(), heap.end());
  }
  FunctionNode& pop() {
    if (heap.size() > 1) std::pop_heap(heap.begin(), heap.end());
    FunctionNode* f = heap.back().f;
    heap.pop_back();
    return *f;
  }

  static const SmallVector<VariableNode*, 1>& outputs(const FunctionNode& f) { return f.outputs_; }

  // Runs one function's backward; the result has an entry for each of `wanted`. A function that accumulates gets
  // what its inputs have so far in `gx` and returns the sums, which *includes_old then says.
  static Variables run(FunctionNode& f, const Indexes& wanted, const Variables& gy, const Variables& gx = {},
                       bool* includes_old = nullptr) {
    const bool hooked = function_hook_count > 0 || f.hooks_;
    Arrays in, g;
    std::optional<HookedCall> call;
    if (hooked) {
      in = f.input_data();
      for (const Variable& v : gy) g.push_back(v.array());
      call.emplace(f, [&](FunctionHook& h) { h.backward_preprocess(f, in, g); });
    }
    bool any_so_far = false;
    for (const Variable& v : gx) any_so_far |= static_cast<bool>(v);
    Variables out;
    if (any_so_far && f.accumulates()) {
      out = f.backward_accumulate(wanted, gy, gx);
      if (out.size() != wanted.size()) wrong_count(f, out.size(), wanted.size());
      *includes_old = true;
    } else {
      Variables all = f.backward(wanted, gy);
      if (all.size() == f.inputs_.size() && all.size() != wanted.size()) {
        for (int i : wanted) out.push_back(std::move(all[static_cast<std::size_t>(i)]));
      } else if (all.size() == wanted.size()) {
        out = std::move(all);
      } else {
        wrong_count(f, all.size(), wanted.size());
      }
    }
    if (hooked) call->finish([&](FunctionHook& h) { h.backward_postprocess(f, in, g); });
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (out[k]) check(f, *f.inputs_[static_cast<std::size_t>(wanted[k])], out[k].array());
    return out;
  }

  [[noreturn]] static void wrong_count(const FunctionNode& f, std::size_t got, std::size_t wanted) {
    throw ValueError("backward of ", f.label(), " returned ", got, " gradients; ", wanted,
                     " inputs want one and there are ", f.inputs_.size());
  }

  static void check(const FunctionNode& f, const VariableNode& x, const Array& g) {
    if (g.dtype() != x.dtype())
      throw TypeError("backward of ", f.label(), " returned a gradient of dtype ", g.dtype(), " for an input of ",
                      x.dtype());
    if (g.shape() != x.shape())
      throw ValueError("backward of ", f.label(), " returned a gradient of shape ", g.shape(), " for an input of ",
                       x.shape());
    if (config().debug && is_floating(g.dtype()) && any(isnan(g)).item<bool>())
      throw RuntimeError("NaN is detected on backward computation of ", f.label());
  }

  static void accumulate(Variable& slot, Variable&& g) {
    if (!slot)
      slot = std::move(g);
    else
      slot = add_gradients(slot, g);
  }
};

namespace {

Variable first_gradient(const Variable& y, std::optional<double> loss_scale) {
  return Variable(full(y.shape(), loss_scale.value_or(1.0), y.dtype(), y.device()), false);
}

// For a GradientHook: how many functions behind a root have yet to hand a gradient to each leaf.
class LeafReaders {
 public:
  LeafReaders(GradientHook* hook, const Ref<FunctionNode>& root) : hook_(hook) {
    if (!hook_) return;
    Backprop walk;
    walk.first_visit(*root);
    std::vector<FunctionNode*> waiting{root.get()};
    while (!waiting.empty()) {
      const FunctionNode& f = *waiting.back();
      waiting.pop_back();
      for (const auto& x : f.inputs()) {
        if (!x->requires_grad()) continue;
        if (!x->creator())
          ++left_[x.get()];
        else if (walk.first_visit(*x->creator()))
          waiting.push_back(x->creator());
      }
    }
  }
  // A function's turn is over: leaves that it was the last reader of are ready.
  void passed(const FunctionNode& f, JoinedProducts& owed) {
    if (!hook_) return;
    for (const auto& x : f.inputs()) {
      if (!x->requires_grad() || x->creator()) continue;
      const auto it = left_.find(x.get());
      if (it == left_.end() || --it->second > 0) continue;
      owed.settle(*x);
      if (x->grad) hook_->gradient_ready(*x);
    }
  }

 private:
  GradientHook* hook_;
  std::unordered_map<const VariableNode*, int64_t> left_;
};

}  // namespace

void Variable::backward(const BackwardOptions& options) const {
  if (!node_ || !node_->creator_) return;
  if (!node_->grad) {
    if (size() != 1)
      throw ValueError("backward: a variable of shape ", shape(),
                       " needs its gradient set first; only one element starts from 1");
    node_->grad = first_gradient(*this, options.loss_scale);
  }
  const UsingConfig graph(&Config::enable_backprop, options.enable_double_backprop);
  Backprop b;
  // What was left in the nodes when a function throws must not meet the next call.
  struct Cleaner {
    Backprop& b;
    ~Cleaner() {
      for (auto& e : b.heap)
        for (VariableNode* n : Backprop::outputs(*e.f))
          if (n) n->arriving = Variable();
    }
  } cleaner{b};

  LeafReaders readers(GradientHookScope::current(), node_->creator_);
  const GradientHookScope none(nullptr);  // for what functions differentiate in their turn
  JoinedProducts owed;
  node_->arriving = node_->grad;
  b.first_visit(*node_->creator_);
  b.push(*node_->creator_);
  Variables gy, gx;
  Indexes wanted;
  SmallVector<Ref<VariableNode>, 8> leaves;
  while (!b.heap.empty()) {
    FunctionNode* const f = &b.pop();
    gy.clear();
    bool any_gradient = false;
    for (VariableNode* n : f->outputs()) {
      // What arrived, or else what the user set on an output beside the one that backward() was called on.
      gy.push_back(!n ? Variable() : n->arriving ? std::move(n->arriving) : n->grad);
      if (!gy.back()) continue;
      any_gradient = true;
      n->arriving = Variable();
      if (n != node_) n->grad = options.retain_grad ? gy.back() : Variable();
    }
    if (!any_gradient) {
      readers.passed(*f, owed);
      continue;
    }
    wanted.clear();
    gx.clear();
    const bool accumulates = f->accumulates();
    for (std::size_t i = 0; i < f->inputs().size(); ++i) {
      VariableNode& x = *f->inputs()[i];
      if (!x.requires_grad()) continue;
      wanted.push_back(static_cast<int>(i));
      // A variable that stands twice among the inputs has its sum taken once.
      bool repeated = false;
      for (std::size_t j = 0; j < i; ++j) repeated |= f->inputs()[j].get() == &x;
      // Taken out of the node, so that an array that nobody else has is exclusive.
      gx.push_back(repeated || !accumulates ? Variable() : std::move(x.creator() ? x.arriving : x.grad));
    }
    if (wanted.empty()) continue;
    bool includes_old = false;
    Variables out;
    const auto put_back = [&](std::size_t k) {
      VariableNode& x = *f->inputs()[static_cast<std::size_t>(wanted[k])];
      if (gx[k]) (x.creator() ? x.arriving : x.grad) = std::move(gx[k]);
    };
    try {
      out = Backprop::run(*f, wanted, gy, gx, &includes_old);
    } catch (...) {
      for (std::size_t k = 0; k < wanted.size(); ++k) put_back(k);
      throw;
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!includes_old || !out[k]) put_back(k);
      if (!out[k]) continue;
      VariableNode& x = *f->inputs()[static_cast<std::size_t>(wanted[k])];
      if (x.creator()) {
        Backprop::accumulate(x.arriving, std::move(out[k]));
        if (b.first_visit(*x.creator())) b.push(*x.creator());
      } else if (x.handles_.load(std::memory_order_relaxed) > 0) {
        if (!x.grad) leaves.push_back(Ref<VariableNode>(&x));
        Backprop::accumulate(x.grad, std::move(out[k]));
        x.set_loss_scale(options.loss_scale);
      }
    }
    gx.clear();  // a handle here would keep what is owed from being added in place
    owed.settle(false);
    readers.passed(*f, owed);
  }
  owed.settle(true);
  // Whoever called backward() wants all of these: computed together, each common part is computed once.
  Arrays results{array_};
  for (const auto& x : leaves) results.push_back(x->grad.array_);
  deferred::evaluate({results.data(), results.size()});
}

void Variable::unchain_backward() {
  if (!node_ || !node_->creator_) return;
  std::vector<Ref<FunctionNode>> waiting{node_->creator_};
  Backprop b;
  while (!waiting.empty()) {
    const Ref<FunctionNode> f = std::move(waiting.back());
    waiting.pop_back();
    for (const Ref<VariableNode>& x : f->inputs())
      if (x->creator() && b.first_visit(*x->creator())) waiting.push_back(x->creator_ref());
    f->unchain();
  }
}

Variables grad(const Variables& outputs, const Variables& inputs, const GradOptions& o) {
  if (!o.grad_outputs.empty() && o.grad_outputs.size() != outputs.size())
    throw ValueError("grad: ", o.grad_outputs.size(), " grad_outputs for ", outputs.size(), " outputs");
  if (!o.grad_inputs.empty() && o.grad_inputs.size() != inputs.size())
    throw ValueError("grad: ", o.grad_inputs.size(), " grad_inputs for ", inputs.size(), " inputs");

  // 1. What the outputs were computed from, going backward: functions, and for each node the functions that read it.
  Backprop b;
  std::vector<Ref<FunctionNode>> waiting;
  std::unordered_map<const VariableNode*, std::vector<FunctionNode*>> readers;
  const auto visit = [&](const VariableNode* n) {
    if (n && n->requires_grad() && n->creator() && b.first_visit(*n->creator())) waiting.push_back(n->creator_ref());
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

  // 2. Of those, the functions on a path from the inputs, going forward.
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

  // 3. Backpropagation through them. Gradients stay in a table, not in the nodes.
  const UsingConfig graph(&Config::enable_backprop, o.enable_double_backprop);
  std::unordered_map<const VariableNode*, Variable> gradients;
  std::unordered_set<const VariableNode*> sources;
  for (const Variable& x : inputs) sources.insert(x.node_pointer());
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
    Backprop::accumulate(gradients[n], g ? std::move(g) : first_gradient(outputs[i], o.loss_scale));
    enter(n);
  }
  if (!o.grad_inputs.empty())
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (o.grad_inputs[i] && inputs[i].node_pointer())
        Backprop::accumulate(gradients[inputs[i].node_pointer()], Variable(o.grad_inputs[i]));
  while (!b.heap.empty()) {
    FunctionNode* const f = &b.pop();
    Variables gy;
    bool any_gradient = false;
    for (VariableNode* n : f->outputs()) {
      const auto it = n ? gradients.find(n) : gradients.end();
      gy.push_back(it != gradients.end() ? it->second : Variable());
      if (!gy.back()) continue;
      any_gradient = true;
      if (o.retain_grad) n->grad = gy.back();
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
    if (o.set_grad || o.retain_grad) {
      Variable target = x;
      target.set_grad_var(result.back());
    }
  }
  // One input without a path is common; none with one is a mistake more often than not.
  if (!inputs.empty() && std::none_of(result.begin(), result.end(), [](const Variable& g) { return bool(g); }))
    warn(text(
        "grad: no path leads from the outputs back to ", inputs.size() == 1 ? "the input" : "any of the inputs",
        ": the gradients are none. Were the inputs made before the outputs, outside of no_backprop_mode(), and with "
        "requires_grad?"));
  return result;
}

}  // namespace chainer
