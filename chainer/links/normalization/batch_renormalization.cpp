// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization.h"
#include "chainer/links/normalization.h"

namespace chainer::links {

BatchRenormalization::BatchRenormalization(const Shape& size, const BatchRenormalizationOptions& o)
    : BatchNormalization(size, {.decay = o.decay,
                                .eps = o.eps,
                                .dtype = o.dtype,
                                .use_gamma = o.use_gamma,
                                .use_beta = o.use_beta,
                                .initial_gamma = o.initial_gamma,
                                .initial_beta = o.initial_beta,
                                .initial_avg_mean = o.initial_avg_mean,
                                .initial_avg_var = o.initial_avg_var}),
      rmax(o.rmax),
      dmax(o.dmax) {}

Variable BatchRenormalization::forward(const Variable& x, bool finetune) {
  if (!config().train)
    return functions::fixed_batch_normalization(x, gamma_for(x), beta_for(x), avg_mean, avg_var, {.eps = eps});
  const double d = next_decay(finetune);
  return functions::batch_renormalization(x, gamma_for(x), beta_for(x), rmax, dmax,
                                          {.eps = eps,
                                           .running_mean = avg_mean,
                                           .running_var = avg_var,
                                           .decay = d,
                                           .update_statistics = !config().in_recomputing});
}

CHAINER_DEFINE_MEMBERS(BatchRenormalization, gamma, beta, avg_mean, avg_var, N)

}  // namespace chainer::links
