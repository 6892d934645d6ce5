// SPDX-License-Identifier: MIT
// Bookkeeping for nested calls of backward() and grad().
#pragma once
#include <optional>
#include <unordered_set>

#include "chainer/autograd/variable.h"

namespace chainer {

/// The scope of one traversal on this thread. Saves each gradient that the traversal changes in a node and restores all
/// of them in the destructor, unless keep() was called: a traversal that throws changes nothing. A nested traversal (of
/// F::forget) hands its saved gradients to the outer one, which may throw later.
class BackwardScope {
 public:
  [[nodiscard]] explicit BackwardScope(std::optional<double> loss_scale);
  BackwardScope(const BackwardScope&) = delete;
  BackwardScope& operator=(const BackwardScope&) = delete;
  ~BackwardScope();
  /// Saves the gradient and loss scale of a node before they change. Throws RuntimeError if an outer traversal has
  /// announced this gradient to a GradientHook as complete.
  void save(VariableNode& n) {
    if (n.changed_in_ != number_) save_first(n);
  }
  /// Keeps the changes, unless an outer traversal restores them.
  void keep();
  /// Appends the current gradients of all saved nodes without a creator.
  void append_leaf_gradients(Arrays& out) const;
  /// Calls f(node) for each saved node without a creator.
  template <class F>
  void each_leaf(F&& f) const {
    for (const Saved& s : saved_)
      if (is_leaf(*s.node)) f(*s.node);
  }
  /// Notes that this leaf was announced to a GradientHook.
  void announced(const VariableNode& leaf) { announced_.insert(&leaf); }
  /// Returns the loss scale of the innermost traversal on this thread, for functions that differentiate in backward().
  static std::optional<double> current_loss_scale() { return innermost_ ? innermost_->loss_scale_ : std::nullopt; }

 private:
  struct Saved {
    Ref<VariableNode> node;
    Variable grad;
    std::optional<double> loss_scale;
    uint64_t changed_in;  // the scope that had saved it last
  };
  void save_first(VariableNode& n);
  static bool is_leaf(const VariableNode& n);
  static inline constinit thread_local BackwardScope* innermost_ = nullptr;
  BackwardScope* const outer_;
  const uint64_t number_;
  const std::optional<double> loss_scale_;
  SmallVector<Saved, 8> saved_;
  std::unordered_set<const VariableNode*> announced_;
};

}  // namespace chainer
