#include "chainer/autograd/joined_products.h"

#include <algorithm>

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
  auto debt = std::find_if(debts_.begin(), debts_.end(), [&](const Debt& d) { return d.leaf == leaf; });
  if (debt == debts_.end()) debt = debts_.insert(debts_.end(), Debt{leaf, {}, {}});
  debt->left.push_back(left);
  debt->right.push_back(right);
  debt->rows += left.shape()[0];
  due_ |= debt->rows >= kRows;
}

void JoinedProducts::settle(bool all) {
  if (!all && !due_) return;
  for (Debt& d : debts_)
    if (d.rows > 0 && (all || d.rows >= kRows)) settle(d);
  due_ = false;
}

void JoinedProducts::settle(const VariableNode& leaf) {
  for (Debt& d : debts_)
    if (d.leaf.get() == &leaf && d.rows > 0) settle(d);
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
