// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

SGD::SGD(const SGDOptions& o) { hyperparam_->set("lr", o.lr); }

std::shared_ptr<UpdateRule> SGD::create_update_rule() {
  return std::make_shared<FusedRule>(hyperparam_, FusedRule::States{}, [](const FusedRule& r, const Parameter&) {
    return std::pair(Update::sgd, std::vector<double>{r.hyper("lr")});
  });
}

}  // namespace chainer::optimizers
