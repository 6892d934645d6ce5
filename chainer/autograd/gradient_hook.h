// Gradients that are ready before backward() has ended.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {

/// Is told of each leaf (a parameter, or another variable without a creator) whose gradient nothing that backward()
/// still does will change. Distributed training sends gradients from here while the rest is computed.
class GradientHook {
 public:
  virtual ~GradientHook() = default;
  /// `leaf.grad` is what backward() will leave there. It is called on the thread that runs backward(). Leaves wait for
  /// functions that may add to any leaf (F::forget). A leaf some of whose readers got no gradient is not announced, nor
  /// is one that such a function alone reads: these are ready when backward() has ended.
  virtual void gradient_ready(VariableNode& leaf) = 0;
};

/// Makes a hook that of all calls of Variable::backward() on this thread while the scope lasts: that of the innermost
/// scope. A backward() inside another one (of F::forget) has none.
class [[nodiscard]] GradientHookScope {
 public:
  explicit GradientHookScope(GradientHook& hook) : GradientHookScope(&hook) {}
  /// With nullptr: no hook while the scope lasts.
  explicit GradientHookScope(GradientHook* hook) : outer_(current_) { current_ = hook; }
  GradientHookScope(const GradientHookScope&) = delete;
  GradientHookScope& operator=(const GradientHookScope&) = delete;
  ~GradientHookScope() { current_ = outer_; }
  /// nullptr where there is none.
  static GradientHook* current() { return current_; }

 private:
  static inline constinit thread_local GradientHook* current_ = nullptr;
  GradientHook* outer_;
};

}  // namespace chainer
