// SPDX-License-Identifier: MIT
#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

RMSprop::RMSprop(const RMSpropOptions& o) : inside_(o.eps_inside_sqrt) {
  hyperparam_->set("lr", o.lr);
  hyperparam_->set("alpha", o.alpha);
  hyperparam_->set("eps", o.eps);
}

std::shared_ptr<UpdateRule> RMSprop::create_update_rule() {
  const Update op = inside_ ? Update::rmsprop_inside : Update::rmsprop;
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"ms", 0.0}}, [op](const FusedRule& r, const Parameter& p) {
        check_eps(r.hyper("eps"), p.dtype(), "RMSprop");
        return std::pair(op, std::vector<double>{r.hyper("lr"), r.hyper("alpha"), r.hyper("eps")});
      });
}

}  // namespace chainer::optimizers
