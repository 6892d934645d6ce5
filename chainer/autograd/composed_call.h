// SPDX-License-Identifier: MIT
// Calls of functions that are composed of other functions, as readers of graphs may show them.
#pragma once
#include <atomic>
#include <span>

#include "chainer/autograd/variable.h"

namespace chainer {

class FunctionNode;

/// A call of a function that is composed of other functions. The functions that made its outputs own it, so that a
/// reader of the graph can show one node instead of several. Gradients do not depend on it. Derived classes describe
/// the call.
class ComposedCall {
 public:
  RefCount refs;
  ComposedCall() = default;
  ComposedCall(const ComposedCall&) = delete;
  ComposedCall& operator=(const ComposedCall&) = delete;
  virtual ~ComposedCall() = default;
  static void destroy(ComposedCall* c) { c->last_reference(); }

  /// Makes the call known to the functions that made the outputs, and marks the functions between the inputs and them.
  /// Outputs without a graph and outputs that are inputs are left out. Returns false if none remains.
  bool attach(std::span<const Variable* const> inputs, std::span<const Variable* const> outputs);
  const SmallVector<Ref<VariableNode>, 2>& inputs() const { return inputs_; }
  /// Returns the nodes of the outputs; nullptr for those that no longer exist.
  SmallVector<VariableNode*, 1> outputs() const;
  /// Returns the functions that made the outputs; nullptr for those that no longer exist.
  const SmallVector<FunctionNode*, 1>& makers() const { return makers_; }
  /// Detaches the call from its outputs and drops its inputs.
  void unchain();
  /// Returns true if any call was attached in this process.
  static bool any() { return any_.load(std::memory_order_relaxed); }

 protected:
  /// Called when the last reference is gone.
  virtual void last_reference() { delete this; }

 private:
  friend class FunctionNode;
  friend struct ShownRank;
  void forget(const FunctionNode* maker);
  static inline std::atomic<bool> any_{false};
  SmallVector<Ref<VariableNode>, 2> inputs_;
  SmallVector<FunctionNode*, 1> makers_;
  SmallVector<uint16_t, 1> places_;  // of the outputs among those of their makers
  int32_t shown_rank_ = -1;
};

/// The ranks of a graph in which each composed call is one function. Without such calls these are the ranks of the
/// nodes.
int shown_rank(const VariableNode& n);
int shown_rank(const FunctionNode& f);
int shown_rank(const ComposedCall& c);

}  // namespace chainer
