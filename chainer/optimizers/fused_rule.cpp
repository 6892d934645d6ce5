// SPDX-License-Identifier: MIT
#include <typeinfo>
#include <utility>

#include "chainer/array/backend.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

UpdatePass FusedRule::pass(Parameter& param) const {
  std::vector<Array> arrays;
  for (const auto& [name, a] : state) arrays.push_back(a);
  auto [op, hyper] = plan_(*this, param);
  return {op, param.array(), param.grad(), std::move(arrays), std::move(hyper)};
}

// A derived class may do more than the pass.
bool FusedRule::is_pass() const { return typeid(*this) == typeid(FusedRule); }

void FusedRule::update_core(Parameter& param) {
  UpdatePass p = pass(param);
  p.param.device().backend().update(p.op, p.param, p.grad, p.states, p.hyper);
}

}  // namespace chainer::optimizers
