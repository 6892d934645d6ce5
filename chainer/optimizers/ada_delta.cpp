// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

AdaDelta::AdaDelta(const AdaDeltaOptions& o) {
  hyperparam_->set("rho", o.rho);
  hyperparam_->set("eps", o.eps);
}

std::shared_ptr<UpdateRule> AdaDelta::create_update_rule() {
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"msg", 0.0}, {"msdx", 0.0}}, [](const FusedRule& r, const Parameter&) {
        return std::pair(Update::ada_delta, std::vector<double>{r.hyper("rho"), r.hyper("eps")});
      });
}

}  // namespace chainer::optimizers
