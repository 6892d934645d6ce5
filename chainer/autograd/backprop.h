// What backward() and grad() share: the order of functions, and one function's turn.
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

/// One walk through a graph, the functions in the order of their ranks.
struct Backprop {
  // Functions by rank, the later ones first; among equals in the order they were met.
  struct Entry {
    int rank;
    std::size_t order;
    FunctionNode* f;  // alive: the graph belongs to the variable that backward() was called on
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

  static const SmallVector<VariableNode*, 1>& outputs(const FunctionNode& f) { return f.outputs_; }

  // Runs one function's backward; the result has an entry for each of `wanted`. A function that accumulates gets
  // what its inputs have so far in `gx` and returns the sums, which *includes_old then says.
  static Variables run(FunctionNode& f, const Indexes& wanted, const Variables& gy, const Variables& gx = {},
                       bool* includes_old = nullptr) {
    const bool hooked = function_hook_count > 0 || f.hooks_;
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
  // What a walk starts from where nothing else is given.
  static Variable first_gradient(const Variable& y, std::optional<double> loss_scale) {
    return Variable(full(y.shape(), loss_scale.value_or(1.0), y.dtype(), y.device()), false);
  }
  // Whether a variable of this node is there, so that its gradient can be asked for.
  static bool is_held(const VariableNode& n) { return n.handles_.load(std::memory_order_relaxed) > 0; }
  // Whether a node may keep a gradient: one with a graph leads back here, and stays only as long as a variable does.
  static bool may_keep(const VariableNode& n, const Variable& g) {
    return !g.node_pointer() || is_held(n);
  }
};

/// grad() whose walk does not go beyond the nodes of `border`: what lies behind those is on no path. It does not warn
/// where all gradients are none.
Variables grad_within(const Variables& outputs, const Variables& inputs, const Variables& border,
                      const GradOptions& options);

}  // namespace chainer
