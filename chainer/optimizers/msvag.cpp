// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/array/operations/updates.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

MSVAG::MSVAG(const MSVAGOptions& o) {
  hyperparam_->set("lr", o.lr);
  hyperparam_->set("beta", o.beta);
  hyperparam_->set("eta", o.eta);
  hyperparam_->set("weight_decay_rate", o.weight_decay_rate);
}

std::shared_ptr<UpdateRule> MSVAG::create_update_rule() {
  return std::make_shared<FusedRule>(
      hyperparam_, FusedRule::States{{"m", 0.0}, {"v", 0.0}}, [](const FusedRule& r, const Parameter&) {
        const double beta = r.hyper("beta"), power = std::pow(beta, static_cast<double>(r.t));
        const double rho = std::min(
            (1 - beta) * (1 - beta) * (1 - power * power) / ((1 - power) * (1 - power) * (1 - beta * beta)), 0.9999);
        return std::pair(Update::msvag, std::vector<double>{r.hyper("lr"), 1 - beta, 1 - power, rho, r.hyper("eta"),
                                                            r.hyper("weight_decay_rate")});
      });
}

}  // namespace chainer::optimizers
