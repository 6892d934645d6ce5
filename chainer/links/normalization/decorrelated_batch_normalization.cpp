// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization.h"
#include "chainer/links/normalization.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::links {
namespace {

int64_t groups_of(int64_t size, const DecorrelatedBatchNormalizationOptions& o) {
  const int64_t group_size = o.group_size.value_or(!o.groups ? 16 : *o.groups > 0 ? size / *o.groups : int64_t(0));
  const int64_t groups = o.groups.value_or(group_size > 0 ? size / group_size : int64_t(0));
  if (groups < 1 || group_size < 1 || groups * group_size != size)
    throw ValueError("DecorrelatedBatchNormalization: the size ", size, " is not groups ", groups, " times group_size ",
                     group_size);
  return groups;
}

}  // namespace

DecorrelatedBatchNormalization::DecorrelatedBatchNormalization(int64_t size,
                                                               const DecorrelatedBatchNormalizationOptions& o)
    : decay(o.decay), eps(o.eps), groups_(groups_of(size, o)) {
  const int64_t n = size / groups_;
  const Dtype dtype = get_dtype(o.dtype);
  avg_mean = zeros({groups_, n}, dtype);
  avg_projection = zeros({groups_, n, n}, dtype) + eye(n, {}, 0, dtype);
}

Variable DecorrelatedBatchNormalization::forward(const Variable& x, bool finetune) {
  if (!config().train)
    return functions::fixed_decorrelated_batch_normalization(x, avg_mean, avg_projection, {.groups = groups_});
  const int64_t batches = N + 1;
  functions::DecorrelatedBatchNormalizationOptions o{
      .groups = groups_, .eps = eps, .decay = finetune ? 1 - 1 / static_cast<double>(batches) : decay};
  // When a graph is recomputed, the statistics have already been updated.
  if (!config().in_recomputing) {
    o.running_mean = avg_mean, o.running_projection = avg_projection;
    if (finetune) N = batches;
  }
  return functions::decorrelated_batch_normalization(x, o);
}

CHAINER_DEFINE_MEMBERS(DecorrelatedBatchNormalization, avg_mean, avg_projection, N)

}  // namespace chainer::links
