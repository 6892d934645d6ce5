// SPDX-License-Identifier: MIT
#include "chainer/autograd/joined_products.h"

#include "chainer/array/exclusive.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {
thread_local JoinedProducts* innermost = nullptr;
}  // namespace

JoinedProducts::JoinedProducts() : outer_(innermost) { innermost = this; }
JoinedProducts::~JoinedProducts() { innermost = outer_; }
JoinedProducts* JoinedProducts::current() { return config().enable_backprop || config().debug ? nullptr : innermost; }

void JoinedProducts::add(const Ref<VariableNode>& leaf, const Array& left, const Array& right) {
  const auto [it, fresh] = at_.try_emplace(leaf.get(), pending_.size());
  if (fresh) pending_.push_back({leaf, {}, {}});
  PendingProduct& product = pending_[it->second];
  product.left.push_back(left);
  product.right.push_back(right);
  const bool was_due = product.rows >= kRows;
  product.rows += left.shape()[0];
  if (product.rows >= kRows && !was_due) due_.push_back(it->second);
}

void JoinedProducts::flush_due() {
  for (const std::size_t i : due_)
    if (pending_[i].rows > 0) flush(pending_[i]);
  due_.clear();
}

void JoinedProducts::flush_all() {
  for (PendingProduct& d : pending_)
    if (d.rows > 0) flush(d);
  due_.clear();
}

void JoinedProducts::flush(const VariableNode& leaf) {
  const auto it = at_.find(&leaf);
  if (it != at_.end() && pending_[it->second].rows > 0) flush(pending_[it->second]);
}

void JoinedProducts::flush(PendingProduct& d) {
  const Array left = d.left.size() == 1 ? d.left[0] : concatenate(d.left, 0),
              right = d.right.size() == 1 ? d.right[0] : concatenate(d.right, 0);
  d.left.clear(), d.right.clear();
  d.rows = 0;
  if (!d.leaf->grad) return;  // no variable of the leaf exists
  Array sum = d.leaf->grad.array();
  d.leaf->grad = Variable();
  if (!sum.is_contiguous() || !is_exclusive(sum)) sum = sum.copy();
  matmul_into(left.T(), right, sum, 1, 1);
  d.leaf->grad = Variable(std::move(sum), false);
}

}  // namespace chainer
