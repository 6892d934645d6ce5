// SPDX-License-Identifier: MIT
#include "chainer/autograd/backward_scope.h"

#include <algorithm>
#include <bit>

#include "chainer/autograd/function_node.h"

namespace chainer {
namespace {
std::atomic<uint64_t> scopes{0};
}  // namespace

BackwardScope::BackwardScope(std::optional<double> loss_scale)
    : outer_(innermost_), number_(scopes.fetch_add(1, std::memory_order_relaxed) + 1), loss_scale_(loss_scale) {
  innermost_ = this;
}

BackwardScope::~BackwardScope() {
  innermost_ = outer_;
  for (; !saved_.empty(); saved_.pop_back()) {
    Saved& s = saved_.back();
    VariableNode& n = *s.node;
    // A gradient with a graph is kept only if a variable of the node exists.
    const bool stays = n.handles_.load(std::memory_order_relaxed) > 0 || !s.grad.node_pointer();
    n.grad = stays ? std::move(s.grad) : Variable();
    if (n.extra_) n.extra_->loss_scale = s.loss_scale;
    n.changed_in_ = s.changed_in;
  }
}

void BackwardScope::save_first(VariableNode& n) {
  for (const BackwardScope* s = outer_; s; s = s->outer_)
    if (s->announced_.count(&n))
      throw RuntimeError(
          "backward: a function that calls backward() inside of its backward() adds to the gradient of a leaf after a "
          "GradientHook was told that it is complete; its class must override FunctionNode::adds_to_other_leaves()");
  saved_.push_back({Ref<VariableNode>(&n), n.grad, n.loss_scale(), n.changed_in_});
  n.changed_in_ = number_;
}

void BackwardScope::keep() {
  if (outer_) {
    // Gradients that the outer traversal saved itself are older than those saved here.
    const auto is_new = [&](const Saved& s) { return s.changed_in != outer_->number_; };
    auto& theirs = outer_->saved_;
    const auto more = static_cast<std::size_t>(std::count_if(saved_.begin(), saved_.end(), is_new));
    if (more) theirs.reserve(std::bit_ceil(theirs.size() + more));  // any exception comes before the first move
    for (Saved& s : saved_) {
      const bool fresh = is_new(s);
      s.node->changed_in_ = outer_->number_;
      if (fresh) theirs.push_back(std::move(s));
    }
  }
  saved_.clear();
}

bool BackwardScope::is_leaf(const VariableNode& n) { return !n.creator(); }

void BackwardScope::append_leaf_gradients(Arrays& out) const {
  each_leaf([&](const VariableNode& n) { out.push_back(n.grad.array()); });
}

}  // namespace chainer
