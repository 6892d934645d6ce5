// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

RMSpropGraves::RMSpropGraves(const RMSpropGravesOptions& o) {
  hyperparam_->set("lr", o.lr);
  hyperparam_->set("alpha", o.alpha);
  hyperparam_->set("momentum", o.momentum);
  hyperparam_->set("eps", o.eps);
}

std::shared_ptr<UpdateRule> RMSpropGraves::create_update_rule() {
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"n", 0.0}, {"g", 0.0}, {"delta", 0.0}}, [](const FusedRule& r, const Parameter&) {
        return std::pair(Update::rmsprop_graves,
                         std::vector<double>{r.hyper("lr"), r.hyper("alpha"), r.hyper("momentum"), r.hyper("eps")});
      });
}

}  // namespace chainer::optimizers
