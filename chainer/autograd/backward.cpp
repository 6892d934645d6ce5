// Backpropagation: Variable::backward over the whole graph behind a variable.
#include "chainer/array/deferred/deferred.h"
#include "chainer/autograd/leaf_readers.h"

namespace chainer {

void Variable::backward(const BackwardOptions& options) const {
  if (!node_ || !node_->creator_) return;
  if (!node_->grad && size() != 1)
    throw ValueError("backward: a variable of shape ", shape(),
                     " needs its gradient set first; only one element starts from 1");
  const Variable root(*this);  // code of users that runs meanwhile may drop this one
  VariableNode* const top = root.node_;
  const UsingConfig graph(&Config::enable_backprop, options.enable_double_backprop);
  BackwardScope changes(options.loss_scale);
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

  LeafReaders readers(GradientHookScope::current(), top->creator_);
  const GradientHookScope none(nullptr);  // for what functions differentiate in their turn
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
    FunctionNode* const f = &b.pop();
    gy.clear();
    bool any_gradient = false;
    for (VariableNode* n : f->outputs()) {
      // What arrived, or else what the user set on an output beside the one that backward() was called on.
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
      // A variable that stands twice among the inputs has its sum taken once.
      bool repeated = false;
      for (std::size_t j = 0; j < i; ++j) repeated |= f->inputs()[j].get() == &x;
      if (repeated) continue;
      // Taken out of the node, so that an array that nobody else has is exclusive. (If a function throws, what arrived
      // is of no use any more, and leaves get back what was saved.)
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
        if (b.first_visit(*x.creator())) b.push(*x.creator());  // first, so that the cleaner finds what arrives
        Backprop::accumulate(x.arriving, std::move(out[k]));
      } else if (x.handles_.load(std::memory_order_relaxed) > 0) {
        changes.save(x);
        Backprop::accumulate(x.grad, std::move(out[k]));
        x.set_loss_scale(options.loss_scale);
      }
    }
    gx.clear();  // a handle here would keep what is owed from being added in place
    owed.settle_due();
    readers.passed(*f, owed, changes);
  }
  owed.settle_all();
  // Whoever called backward() wants all of these: computed together, each common part is computed once.
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
