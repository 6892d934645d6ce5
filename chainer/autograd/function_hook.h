// SPDX-License-Identifier: MIT
// Hooks that are called before and after each forward and backward computation.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chainer/autograd/function_node.h"

namespace chainer {

/// Callbacks around functions. Derive from it, override the required callbacks, and open a FunctionHookScope for all
/// functions of this thread, or add it to one node with add_hook(). added() and deleted() receive nullptr if the hook
/// is added to a thread.
class FunctionHook {
 public:
  virtual ~FunctionHook() = default;
  virtual std::string name() const { return "FunctionHook"; }
  virtual void added(FunctionNode* function) { (void)function; }
  virtual void deleted(FunctionNode* function) { (void)function; }
  virtual void forward_preprocess(FunctionNode& function, const Arrays& in) { (void)function, (void)in; }
  virtual void forward_postprocess(FunctionNode& function, const Arrays& in) { (void)function, (void)in; }
  /// Called after forward_postprocess() with the results.
  virtual void forward_results(FunctionNode& function, const Arrays& in, const Arrays& out) {
    (void)function, (void)in, (void)out;
  }
  virtual void backward_preprocess(FunctionNode& function, const Arrays& in, const Arrays& gy) {
    (void)function, (void)in, (void)gy;
  }
  virtual void backward_postprocess(FunctionNode& function, const Arrays& in, const Arrays& gy) {
    (void)function, (void)in, (void)gy;
  }
  /// Called instead of the postprocess callback if the computation throws.
  virtual void aborted(FunctionNode& function) noexcept { (void)function; }
};

/// Returns this thread's hooks, in the order in which they were opened.
const std::vector<std::pair<std::string, FunctionHook*>>& get_function_hooks();
/// The number of this thread's hooks.
inline constinit thread_local int function_hook_count = 0;

/// Registers a hook for all functions of this thread during its lifetime. Throws KeyError if a hook of the same name is
/// registered.
class [[nodiscard]] FunctionHookScope {
 public:
  [[nodiscard]] explicit FunctionHookScope(FunctionHook& hook);
  FunctionHookScope(const FunctionHookScope&) = delete;
  FunctionHookScope& operator=(const FunctionHookScope&) = delete;
  ~FunctionHookScope();

 private:
  FunctionHook& hook_;
};

/// The hook calls of one computation: preprocess in the constructor, then postprocess in finish(), or aborted() if an
/// exception ends the computation.
class HookedCall {
 public:
  template <class F>
  HookedCall(FunctionNode& node, F&& preprocess);
  HookedCall(const HookedCall&) = delete;
  HookedCall& operator=(const HookedCall&) = delete;
  ~HookedCall() { abort(); }
  template <class F>
  void finish(F&& postprocess);

 private:
  void abort() noexcept {
    for (; !begun_.empty(); begun_.pop_back()) begun_.back()->aborted(node_);
  }
  FunctionNode& node_;
  std::vector<FunctionHook*> begun_;  // hooks for which preprocess was called
};

/// Calls f for the thread's hooks, then for the node's own.
template <class F>
void for_hooks(const FunctionNode& node, F&& f) {
  for (const auto& [name, hook] : get_function_hooks()) f(*hook);
  if (node.local_function_hooks())
    for (const auto& [name, hook] : *node.local_function_hooks()) f(*hook);
}

template <class F>
HookedCall::HookedCall(FunctionNode& node, F&& preprocess) : node_(node) {
  try {
    for_hooks(node, [&](FunctionHook& h) {
      preprocess(h);
      begun_.push_back(&h);
    });
  } catch (...) {
    abort();
    throw;
  }
}
template <class F>
void HookedCall::finish(F&& postprocess) {
  begun_.clear();
  for_hooks(node_, postprocess);
}

}  // namespace chainer
