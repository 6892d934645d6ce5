// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

namespace {
double step_size(double alpha, double beta1, double beta2, int64_t t) {
  const double n = static_cast<double>(t);
  return alpha * std::sqrt(1 - std::pow(beta2, n)) / (1 - std::pow(beta1, n));
}
}  // namespace

void check_eps(double eps, Dtype d, std::string_view name) {
  if (eps != 0 && d == Dtype::float16 && static_cast<float>(Float16(static_cast<float>(eps))) == 0)
    throw ValueError(name, ": eps of ", eps, " is zero in float16; choose a larger one, or use_fp32_update()");
}

Adam::Adam(const AdamOptions& o) : amsgrad_(o.amsgrad) {
  hyperparam_->set("alpha", o.alpha);
  hyperparam_->set("beta1", o.beta1);
  hyperparam_->set("beta2", o.beta2);
  hyperparam_->set("eps", o.eps);
  hyperparam_->set("eta", o.eta);
  hyperparam_->set("weight_decay_rate", o.weight_decay_rate);
}

std::shared_ptr<UpdateRule> Adam::create_update_rule() {
  FusedRule::States states{{"m", 0.0}, {"v", 0.0}};
  if (amsgrad_) states.emplace_back("vhat", 0.0);
  const Update op = amsgrad_ ? Update::ams_grad : Update::adam;
  return std::make_shared<FusedRule>(hyperparam_, states, [op](const FusedRule& r, const Parameter& p) {
    check_eps(r.hyper("eps"), p.dtype(), "Adam");
    const double beta1 = r.hyper("beta1"), beta2 = r.hyper("beta2");
    return std::pair(op, std::vector<double>{step_size(r.hyper("alpha"), beta1, beta2, r.t), 1 - beta1, 1 - beta2,
                                             r.hyper("eps"), r.hyper("eta"), r.hyper("weight_decay_rate")});
  });
}

double Adam::lr() const {
  if (t == 0) throw RuntimeError("Adam: lr is defined from the first update on (t is 0)");
  return step_size(get("alpha"), get("beta1"), get("beta2"), t);
}

}  // namespace chainer::optimizers
