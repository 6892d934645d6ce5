// SPDX-License-Identifier: MIT
// Detects when the gradients of leaves are complete, for a GradientHook.
#pragma once
#include <unordered_map>

#include "chainer/autograd/backprop.h"
#include "chainer/autograd/backward_scope.h"
#include "chainer/autograd/gradient_hook.h"
#include "chainer/autograd/joined_products.h"

namespace chainer {

/// Counts, for each leaf, the functions below a root that have not yet contributed to its gradient. Functions with
/// adds_to_other_leaves() could contribute to any leaf, so all leaves wait for them.
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
      unknown_ += f.adds_to_other_leaves();
      for (const auto& x : f.inputs()) {
        if (!x->requires_grad()) continue;
        if (!x->creator())
          ++left_[x.get()];
        else if (walk.first_visit(*x->creator()))
          waiting.push_back(x->creator());
      }
    }
  }
  /// To be called when a function was processed: calls the hook for leaves that are complete.
  void passed(const FunctionNode& f, JoinedProducts& owed, BackwardScope& scope) {
    if (!hook_) return;
    unknown_ -= f.adds_to_other_leaves();
    for (const auto& x : f.inputs()) {
      if (!x->requires_grad() || x->creator()) continue;
      const auto it = left_.find(x.get());
      if (it != left_.end() && --it->second == 0) complete_.push_back(x);
    }
    if (unknown_ > 0) return;
    for (const auto& x : complete_) {
      owed.flush(*x);
      if (!x->grad) continue;
      scope.announced(*x);
      hook_->gradient_ready(*x);
    }
    complete_.clear();
  }

 private:
  GradientHook* hook_;
  std::unordered_map<const VariableNode*, int64_t> left_;
  int64_t unknown_ = 0;
  std::vector<Ref<VariableNode>> complete_;
};

}  // namespace chainer
