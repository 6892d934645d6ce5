// SPDX-License-Identifier: MIT
#include "chainer/optimizers/passes.h"

#include <utility>

namespace chainer::optimizer {

void Passes::add(UpdatePass pass) {
  const auto owner = [](const Array& a) -> const ArrayBody* { return &a.body().owner(); };
  const auto is_in = [](const std::set<const ArrayBody*>& all, const ArrayBody* a) { return all.count(a) > 0; };
  std::vector<const ArrayBody*> writes{owner(pass.param)};
  for (const Array& s : pass.states) writes.push_back(owner(s));
  bool meets = is_in(written_, owner(pass.grad));
  for (const ArrayBody* w : writes) meets = meets || is_in(written_, w) || is_in(read_, w);
  const auto backend = [](const UpdatePass& p) { return &p.param.device().backend(); };
  if (meets || (!waiting_.empty() && backend(waiting_.front()) != backend(pass))) run();
  counted_.emplace_back(pass.param);
  written_.insert(writes.begin(), writes.end());
  read_.insert(owner(pass.grad));
  waiting_.push_back(std::move(pass));
}

void Passes::run() {
  if (!waiting_.empty()) waiting_.front().param.device().backend().update_all(waiting_);
  waiting_.clear(), counted_.clear(), written_.clear(), read_.clear();
}

}  // namespace chainer::optimizer
