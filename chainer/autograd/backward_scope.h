// What the walks of backward() and grad() that run inside of each other know of each other.
#pragma once
#include <optional>
#include <unordered_set>

#include "chainer/autograd/variable.h"

namespace chainer {

/// One walk on this thread. It saves each gradient that it changes in a node, and puts all of them back when it ends
/// without keep(): a walk that throws has changed nothing. A walk inside of another one (that of F::forget) hands what
/// it saved to the one outside, which may throw later.
class BackwardScope {
 public:
  explicit BackwardScope(std::optional<double> loss_scale);
  BackwardScope(const BackwardScope&) = delete;
  BackwardScope& operator=(const BackwardScope&) = delete;
  ~BackwardScope();
  /// Called before the gradient or the loss scale of a node changes. RuntimeError where a walk outside has told a
  /// GradientHook that this gradient is complete.
  void save(VariableNode& n) {
    if (n.changed_in_ != number_) save_first(n);
  }
  /// The changes stay, unless a walk outside puts them back.
  void keep();
  /// Appends the gradients that are there now, of all nodes without a creator that were saved.
  void append_leaf_gradients(Arrays& out) const;
  /// A GradientHook was told of this leaf.
  void announced(const VariableNode& leaf) { announced_.insert(&leaf); }
  /// The scale of the loss in the innermost walk on this thread: what a function that differentiates inside hands on.
  static std::optional<double> current_loss_scale() { return innermost_ ? innermost_->loss_scale_ : std::nullopt; }

 private:
  struct Saved {
    Ref<VariableNode> node;
    Variable grad;
    std::optional<double> loss_scale;
    uint64_t changed_in;  // by which scope it had been saved last
  };
  void save_first(VariableNode& n);
  static inline constinit thread_local BackwardScope* innermost_ = nullptr;
  BackwardScope* const outer_;
  const uint64_t number_;
  const std::optional<double> loss_scale_;
  SmallVector<Saved, 8> saved_;
  std::unordered_set<const VariableNode*> announced_;
};

}  // namespace chainer
