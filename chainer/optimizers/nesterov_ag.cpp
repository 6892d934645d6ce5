// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

NesterovAG::NesterovAG(const MomentumOptions& o) {
  hyperparam_->set("lr", o.lr);
  hyperparam_->set("momentum", o.momentum);
}

std::shared_ptr<UpdateRule> NesterovAG::create_update_rule() {
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"v", 0.0}}, [](const FusedRule& r, const Parameter&) {
        return std::pair(Update::nesterov_ag, std::vector<double>{r.hyper("lr"), r.hyper("momentum")});
      });
}

}  // namespace chainer::optimizers
