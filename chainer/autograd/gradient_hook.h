// SPDX-License-Identifier: MIT
// Notification of gradients that are complete before backward() has ended.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {

/// Called for each leaf (a parameter, or another variable without a creator) whose gradient is complete, that is, not
/// changed by the rest of backward(). Distributed training starts communication here while backward() continues.
class GradientHook {
 public:
  virtual ~GradientHook() = default;
  /// Called with the final gradient in `leaf.grad`, on the thread that runs backward(). Leaves are held back until all
  /// functions that may add to any leaf (F::forget) have run. Not called for a leaf that is also an input of functions
  /// that receive no gradient, or only an input inside F::forget: their gradients are complete when backward() returns.
  virtual void gradient_ready(VariableNode& leaf) = 0;
};

/// Makes a hook current for the calls of Variable::backward() on this thread during its lifetime. The innermost scope
/// applies. A backward() that is nested in another one (F::forget) has no hook.
class [[nodiscard]] GradientHookScope {
 public:
  [[nodiscard]] explicit GradientHookScope(GradientHook& hook) : GradientHookScope(&hook) {}
  /// nullptr means that there is no hook during the lifetime.
  [[nodiscard]] explicit GradientHookScope(GradientHook* hook) : outer_(current_) { current_ = hook; }
  GradientHookScope(const GradientHookScope&) = delete;
  GradientHookScope& operator=(const GradientHookScope&) = delete;
  ~GradientHookScope() { current_ = outer_; }
  /// Returns the current hook, or nullptr.
  static GradientHook* current() { return current_; }

 private:
  static inline constinit thread_local GradientHook* current_ = nullptr;
  GradientHook* outer_;
};

}  // namespace chainer
