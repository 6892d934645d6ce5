// SPDX-License-Identifier: MIT
#include "chainer/autograd/composed_call.h"

#include <algorithm>
#include <vector>

#include "chainer/autograd/function_node.h"

namespace chainer {

// What a reader of the graph sees as one function.
struct ShownRank {
  const FunctionNode* function;
  const ComposedCall* call;

  // (A function without inputs was not applied: the rank of its output was set.)
  static ShownRank creator(const VariableNode& n) {
    const FunctionNode* const f = n.creator() && !n.creator()->inputs().empty() ? n.creator() : nullptr;
    const ComposedCall* const c = f ? f->composed_call() : nullptr;
    return {c ? nullptr : f, c};
  }
  const SmallVector<Ref<VariableNode>, 2>& inputs() const { return call ? call->inputs() : function->inputs(); }
  int32_t& known() const { return call ? const_cast<ComposedCall*>(call)->shown_rank_ : function->shown_rank_; }

  // Without recursion, because graphs are deep.
  static int find(ShownRank first) {
    std::vector<ShownRank> waiting{first};
    while (!waiting.empty()) {
      const ShownRank now = waiting.back();
      int32_t rank = 0;
      bool complete = true;
      for (const Ref<VariableNode>& x : now.inputs()) {
        const ShownRank before = creator(*x);
        if (!before.function && !before.call) {
          rank = std::max(rank, x->rank());
        } else if (before.known() < 0) {
          complete = false;
          waiting.push_back(before);
        } else {
          rank = std::max(rank, before.known() + 1);
        }
      }
      if (!complete) continue;
      now.known() = rank;
      waiting.pop_back();
    }
    return first.known();
  }
};

int shown_rank(const ComposedCall& c) { return ShownRank::find({nullptr, &c}); }
int shown_rank(const FunctionNode& f) {
  return ComposedCall::any() && !f.inputs().empty() ? ShownRank::find({&f, nullptr}) : f.rank();
}
int shown_rank(const VariableNode& n) {
  if (!ComposedCall::any()) return n.rank();
  const ShownRank f = ShownRank::creator(n);
  return f.call ? shown_rank(*f.call) + 1 : f.function ? shown_rank(*f.function) + 1 : n.rank();
}

bool ComposedCall::attach(std::span<const Variable* const> inputs, std::span<const Variable* const> outputs) {
  for (const Variable* x : inputs)
    if (*x) inputs_.push_back(x->node());
  const auto is_input = [&](const VariableNode* n) {
    return std::any_of(inputs_.begin(), inputs_.end(), [&](const Ref<VariableNode>& x) { return x.get() == n; });
  };
  SmallVector<FunctionNode*, 8> waiting;
  for (const Variable* y : outputs) {
    const VariableNode* const n = y->node_pointer();
    if (!n || !n->creator() || n->creator()->composed_call() || is_input(n)) continue;
    makers_.push_back(n->creator());
    places_.push_back(n->output_index_);
  }
  for (FunctionNode* f : makers_) {
    if (f->composed_call()) continue;  // it made several outputs
    f->set_composed_call(Ref<ComposedCall>(this));
    waiting.push_back(f);
  }
  while (!waiting.empty()) {
    const FunctionNode* const f = waiting.back();
    waiting.pop_back();
    for (const Ref<VariableNode>& x : f->inputs()) {
      FunctionNode* const before = x->creator();
      if (!before || before->is_inside() || before->composed_call() || is_input(x.get())) continue;
      before->set_inside();
      waiting.push_back(before);
    }
  }
  if (!makers_.empty()) any_.store(true, std::memory_order_relaxed);
  return !makers_.empty();
}

SmallVector<VariableNode*, 1> ComposedCall::outputs() const {
  SmallVector<VariableNode*, 1> out;
  for (std::size_t i = 0; i < makers_.size(); ++i)
    out.push_back(makers_[i] && places_[i] < makers_[i]->outputs().size() ? makers_[i]->outputs()[places_[i]]
                                                                          : nullptr);
  return out;
}

void ComposedCall::unchain() {
  const Ref<ComposedCall> self(this);
  const SmallVector<FunctionNode*, 1> makers = makers_;
  for (FunctionNode* f : makers)
    if (f) f->unchain();
  inputs_.clear();
}

void ComposedCall::forget(const FunctionNode* maker) {
  for (FunctionNode*& f : makers_)
    if (f == maker) f = nullptr;
}

}  // namespace chainer
