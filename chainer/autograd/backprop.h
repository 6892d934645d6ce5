// SPDX-License-Identifier: MIT
// Shared by backward() and grad(): the order in which functions are processed, and the processing of one function.
#pragma once
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "chainer/autograd/function_hook.h"
#include "chainer/autograd/function_node.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer {

/// One traversal of a graph, in descending order of the functions' ranks.
struct Backprop {
  // Functions ordered by rank, highest first; functions of equal rank in the order in which they were found.
  struct Entry {
    int rank;
    std::size_t order;
    FunctionNode* f;  // owned by the graph of the variable on which backward() was called
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

  /// Called before each function if set. An interpreter ends the traversal by an exception (Ctrl-C).
  static inline std::atomic<void (*)()> interruption{nullptr};
  static void check_interruption() {
    if (const auto check = interruption.load(std::memory_order_relaxed)) [[unlikely]]
      check();
  }
  /// Returns the number of variables that refer to a node.
  static uint32_t handles(const VariableNode& n) { return n.handles_.load(std::memory_order_relaxed); }

  static const SmallVector<VariableNode*, 1>& outputs(const FunctionNode& f) { return f.outputs_; }

  // Runs one function's backward and returns one gradient for each of `wanted`. A function with accumulates() receives
  // the previous gradients of its inputs in `gx` and returns the sums; *includes_old is then set.
  static Variables run(FunctionNode& f, const Indexes& wanted, const Variables& gy, const Variables& gx = {},
                       bool* includes_old = nullptr) {
    const bool hooked = function_hook_count > 0 || f.local_function_hooks();
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
  // The initial gradient, if none is given.
  static Variable first_gradient(const Variable& y, std::optional<double> loss_scale) {
    return Variable(full(y.shape(), loss_scale.value_or(1.0), y.dtype(), y.device()), false);
  }
  // Returns true if a variable of this node exists, so that its gradient can be read.
  static bool is_held(const VariableNode& n) { return n.handles_.load(std::memory_order_relaxed) > 0; }
  // Returns true if a node may store a gradient. A gradient with a graph refers back to the node, and is kept only as
  // long as a variable of the node exists.
  static bool may_keep(const VariableNode& n, const Variable& g) { return !g.node_pointer() || is_held(n); }
};

/// As grad(), but the traversal ends at the nodes of `border`: paths through them are ignored. Does not warn if all
/// gradients are empty.
Variables grad_within(const Variables& outputs, const Variables& inputs, const Variables& border,
                      const GradOptions& options);

}  // namespace chainer
