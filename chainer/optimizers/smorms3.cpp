// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

SMORMS3::SMORMS3(const SMORMS3Options& o) {
  hyperparam_->set("lr", o.lr);
  hyperparam_->set("eps", o.eps);
}

std::shared_ptr<UpdateRule> SMORMS3::create_update_rule() {
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"mem", 1.0}, {"g", 0.0}, {"g2", 0.0}}, [](const FusedRule& r, const Parameter&) {
        return std::pair(Update::smorms3, std::vector<double>{r.hyper("lr"), r.hyper("eps")});
      });
}

}  // namespace chainer::optimizers
