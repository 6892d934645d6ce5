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
  const auto [it, fresh] = at_.try_emplace(leaf.get(), debts_.size());
  if (fresh) debts_.push_back({leaf, {}, {}});
  Debt& debt = debts_[it->second];
  debt.left.push_back(left);
  debt.right.push_back(right);
  const bool was_due = debt.rows >= kRows;
  debt.rows += left.shape()[0];
  if (debt.rows >= kRows && !was_due) due_.push_back(it->second);
}

void JoinedProducts::settle_due() {
  for (const std::size_t i : due_)
    if (debts_[i].rows > 0) settle(debts_[i]);
  due_.clear();
}

void JoinedProducts::settle_all() {
  for (Debt& d : debts_)
    if (d.rows > 0) settle(d);
  due_.clear();
}

void JoinedProducts::settle(const VariableNode& leaf) {
  const auto it = at_.find(&leaf);
  if (it != at_.end() && debts_[it->second].rows > 0) settle(debts_[it->second]);
}

void JoinedProducts::settle(Debt& d) {
  const Array left = d.left.size() == 1 ? d.left[0] : concatenate(d.left, 0),
              right = d.right.size() == 1 ? d.right[0] : concatenate(d.right, 0);
  d.left.clear(), d.right.clear();
  d.rows = 0;
  if (!d.leaf->grad) return;  // every variable of the leaf is gone
  Array sum = d.leaf->grad.array();
  d.leaf->grad = Variable();
  if (!sum.is_contiguous() || !is_exclusive(sum)) sum = sum.copy();
  matmul_into(left.T(), right, sum, 1, 1);
  d.leaf->grad = Variable(std::move(sum), false);
}

}  // namespace chainer
