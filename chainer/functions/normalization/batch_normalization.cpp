// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/normalize_batch.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable BatchNormalization::operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                                        const BatchNormalizationOptions& o) const {
  if (are_narrow(gamma, beta)) return (*this)(x, widened(gamma), widened(beta), o);
  const Dims averaged = averaged_axes("BatchNormalization", {x.array(), gamma.array(), beta.array()}, o.axis);
  if (gamma.size() > 0 && x.size() == gamma.size()) [[unlikely]]
    warn(text("BatchNormalization: each of ", gamma.size(),
              " means is over a single element, so every output equals beta and x gets no gradient; train on larger "
              "batches, or in test mode (config().train = false)"));
  return normalize_batch("BatchNormalization", x, gamma, beta,
                         {.eps = o.eps,
                          .running_mean = o.running_mean,
                          .running_var = o.running_var,
                          .decay = o.decay,
                          .update = true,
                          .averaged = averaged});
}

}  // namespace chainer::functions
