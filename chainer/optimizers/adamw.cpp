// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

AdamW::AdamW(const AdamWOptions& o) : amsgrad_(o.amsgrad) {
  hyperparam_->set("alpha", o.alpha);
  hyperparam_->set("beta1", o.beta1);
  hyperparam_->set("beta2", o.beta2);
  hyperparam_->set("eps", o.eps);
  hyperparam_->set("weight_decay", o.weight_decay);
}

std::shared_ptr<UpdateRule> AdamW::create_update_rule() {
  FusedRule::States states{{"m", 0.0}, {"v", 0.0}};
  if (amsgrad_) states.emplace_back("vhat", 0.0);
  const Update op = amsgrad_ ? Update::ams_grad : Update::adam;
  return std::make_shared<FusedRule>(hyperparam_, states, [op](const FusedRule& r, const Parameter& p) {
    check_eps(r.hyper("eps"), p.dtype(), "AdamW");
    const double beta1 = r.hyper("beta1"), beta2 = r.hyper("beta2"), alpha = r.hyper("alpha"),
                 t = static_cast<double>(r.t), scale = std::sqrt(1 - std::pow(beta2, t));
    // The pass adds eps to sqrt(v) instead of sqrt(v / (1 - beta2^t)), and has a separate rate for the decay.
    return std::pair(op, std::vector<double>{alpha * scale / (1 - std::pow(beta1, t)), 1 - beta1, 1 - beta2,
                                             r.hyper("eps") * scale, 1, alpha * r.hyper("weight_decay")});
  });
}

}  // namespace chainer::optimizers
