// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

AdaGrad::AdaGrad(const AdaGradOptions& o) {
  hyperparam_->set("lr", o.lr);
  hyperparam_->set("eps", o.eps);
}

std::shared_ptr<UpdateRule> AdaGrad::create_update_rule() {
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"h", 0.0}}, [](const FusedRule& r, const Parameter&) {
        return std::pair(Update::ada_grad, std::vector<double>{r.hyper("lr"), r.hyper("eps")});
      });
}

}  // namespace chainer::optimizers
