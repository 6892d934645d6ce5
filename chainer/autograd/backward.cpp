// SPDX-License-Identifier: MIT
// Backpropagation: Variable::backward() over the whole graph of a variable.
#include "chainer/array/deferred/deferred.h"
#include "chainer/autograd/leaf_readers.h"

namespace chainer {

std::string why_without_graph() {
  return config().enable_backprop
             ? "it is a leaf, or was computed from arrays (.array(), item(), another library), so no function connects "
               "it with parameters"
             : "config().enable_backprop is false here (NoBackpropMode)";
}

void Variable::backward(const BackwardOptions& options) const {
  if (!node_ || !node_->creator_) [[unlikely]]
    return warn("backward: the variable has no graph, so no gradient is computed: " + why_without_graph());
  if (!node_->grad && size() != 1)
    throw ValueError("backward: a variable of shape ", shape(),
                     " requires its gradient to be set first; only variables of one element start from 1");
  const Variable root(*this);  // user code that runs meanwhile may drop this one
  VariableNode* const top = root.node_;
  const UsingConfig graph(&Config::enable_backprop, options.enable_double_backprop);
  const PlainPrecision plain;
  BackwardScope changes(options.loss_scale);
  Backprop b;
  // If a function throws, gradients left in nodes must not affect the next call.
  struct Cleaner {
    Backprop& b;
    ~Cleaner() {
      for (auto& e : b.heap)
        for (VariableNode* n : Backprop::outputs(*e.f))
          if (n) n->arriving = Variable();
    }
  } cleaner{b};

  LeafReaders readers(GradientHookScope::current(), top->creator_);
  const GradientHookScope none(nullptr);  // no hook for nested calls of backward()
  JoinedProducts owed;
  if (!top->grad) {
    changes.save(*top);
    top->grad = Backprop::first_gradient(root, options.loss_scale);
  }
  b.first_visit(*top->creator_);
  b.push(*top->creator_);
  top->arriving = top->grad;
  Variables gy, gx;
  Indexes wanted;
  while (!b.heap.empty()) {
    Backprop::check_interruption();
    FunctionNode* const f = &b.pop();
    gy.clear();
    bool any_gradient = false;
    for (VariableNode* n : f->outputs()) {
      // The accumulated gradient, or the one the user set on an output other than the root.
      gy.push_back(!n ? Variable() : n->arriving ? std::move(n->arriving) : n->grad);
      if (!gy.back()) continue;
      any_gradient = true;
      n->arriving = Variable();
      if (n == top || !(n->grad || options.retain_grad)) continue;
      changes.save(*n);
      n->grad = options.retain_grad && Backprop::may_keep(*n, gy.back()) ? gy.back() : Variable();
    }
    if (!any_gradient) {
      readers.passed(*f, owed, changes);
      continue;
    }
    wanted.clear();
    gx.clear();
    const bool accumulates = f->accumulates();
    for (std::size_t i = 0; i < f->inputs().size(); ++i) {
      VariableNode& x = *f->inputs()[i];
      if (!x.requires_grad()) continue;
      wanted.push_back(static_cast<int>(i));
      gx.push_back(Variable());
      if (!accumulates) continue;
      // If a variable is several inputs, its previous gradient is passed only once.
      bool repeated = false;
      for (std::size_t j = 0; j < i; ++j) repeated |= f->inputs()[j].get() == &x;
      if (repeated) continue;
      // Moved out of the node, so that an array without other handles is exclusive. (If a function throws, accumulated
      // gradients are discarded, and those of leaves are restored.)
      if (!x.creator()) changes.save(x);
      gx.back() = std::move(x.creator() ? x.arriving : x.grad);
    }
    if (wanted.empty()) continue;
    bool includes_old = false;
    Variables out = Backprop::run(*f, wanted, gy, gx, &includes_old);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      VariableNode& x = *f->inputs()[static_cast<std::size_t>(wanted[k])];
      if (gx[k] && (!includes_old || !out[k])) (x.creator() ? x.arriving : x.grad) = std::move(gx[k]);
      if (!out[k]) continue;
      if (x.creator()) {
        if (b.first_visit(*x.creator())) b.push(*x.creator());  // first, so that the cleaner finds the gradient
        Backprop::accumulate(x.arriving, std::move(out[k]));
      } else if (x.handles_.load(std::memory_order_relaxed) > 0) {
        changes.save(x);
        Backprop::accumulate(x.grad, std::move(out[k]));
        x.set_loss_scale(options.loss_scale);
      }
    }
    gx.clear();  // a handle here would prevent in-place addition of pending products
    owed.flush_due();
    readers.passed(*f, owed, changes);
  }
  owed.flush_all();
  // The caller needs all gradients: evaluated together, common parts are computed once.
  Arrays results{root.array_};
  changes.append_leaf_gradients(results);
  deferred::evaluate({results.data(), results.size()});
  changes.keep();
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

}  // namespace chainer
