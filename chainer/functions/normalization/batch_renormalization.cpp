// SPDX-License-Identifier: MIT
// batch_renormalization and fixed_batch_renormalization.
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/normalize_batch.h"
#include "chainer/routines/creation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable BatchRenormalization::operator()(const Variable& x, const Variable& gamma, const Variable& beta, double rmax,
                                          double dmax, const BatchRenormalizationOptions& o) const {
  if (are_narrow(gamma, beta)) return (*this)(x, widened(gamma), widened(beta), rmax, dmax, o);
  if (!(rmax >= 1) || !(dmax >= 0))
    throw ValueError("batch_renormalization: rmax must be at least 1 and dmax at least 0, not ", rmax, " and ", dmax);
  const Dims averaged = averaged_axes("BatchRenormalization", {x.array(), gamma.array(), beta.array()}, {});
  return normalize_batch("BatchRenormalization", x, gamma, beta,
                         {.eps = o.eps,
                          .running_mean = o.running_mean || o.running_var ? o.running_mean : zeros_like(gamma.array()),
                          .running_var = o.running_mean || o.running_var ? o.running_var : ones_like(gamma.array()),
                          .decay = o.decay,
                          .update = o.update_statistics,
                          .averaged = averaged,
                          .renormalization = Renormalization{rmax, dmax}});
}

Variable FixedBatchRenormalization::operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                                               const Variable& mean, const Variable& var, double eps) const {
  return fixed_batch_normalization(x, gamma, beta, mean, var, {.eps = eps});
}

}  // namespace chainer::functions
