// SPDX-License-Identifier: MIT
#include "chainer/autograd/repeated_state.h"

#include "chainer/core/error.h"

namespace chainer {
namespace {

thread_local StateScope* innermost = nullptr;

}  // namespace

StateScope::StateScope(StateRecord& of, Use use) : record_(of), use_(use), outer_(innermost) {
  if (use == record) of.calls_.clear();
  innermost = this;
}
StateScope::~StateScope() { innermost = outer_; }

Arrays StateScope::get(const std::function<Arrays()>& compute) {
  if (use_ == repeat) {
    if (next_ == record_.calls_.size())
      throw RuntimeError("forget: the function used state more often when it was computed again than at first (", next_,
                         " times)");
    return record_.calls_[next_++];
  }
  // A run within another one that is repeated takes the arrays of the other one.
  return record_.calls_.emplace_back(outer_ ? outer_->get(compute) : compute());
}

Arrays StateRecord::get(const std::function<Arrays()>& compute) {
  return innermost ? innermost->get(compute) : compute();
}

}  // namespace chainer
