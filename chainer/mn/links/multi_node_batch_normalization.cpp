// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/functions/functions.h"
#include "chainer/mn/links.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::mn::links {

MultiNodeBatchNormalization::MultiNodeBatchNormalization(int64_t size, Communicator comm,
                                                         const MultiNodeBatchNormalizationOptions& o)
    : BatchNormalization(size, {.decay = o.decay,
                                .eps = o.eps,
                                .dtype = o.dtype,
                                .use_gamma = o.use_gamma,
                                .use_beta = o.use_beta,
                                .initial_gamma = o.initial_gamma,
                                .initial_beta = o.initial_beta}),
      comm_(std::move(comm)) {}

Variable MultiNodeBatchNormalization::forward(const Variable& x, bool finetune) {
  if (!config().train) return BatchNormalization::forward(x, finetune);
  if (x.ndim() < 2 || x.shape(1) != avg_mean.size())
    throw ValueError("MultiNodeBatchNormalization: x has shape ", x.shape(), ", expected ", avg_mean.size(),
                     " channels (axis 1)");
  std::vector<int64_t> averaged{0};
  Shape channels;
  for (int d = 0; d < x.ndim(); ++d) channels.push_back(1);
  for (int d = 2; d < x.ndim(); ++d) averaged.push_back(d);
  channels[1] = x.shape(1);
  const Axes axes(Dims(averaged.begin(), averaged.end()));
  const auto wide = [&](const Variable& v) { return F::broadcast_to(F::reshape(v, channels), x.shape()); };

  const Variable mean = mn::functions::mean_over_ranks(comm_, F::mean(x, axes));
  const Variable centred = x - wide(mean);
  const Variable var = mn::functions::mean_over_ranks(comm_, F::mean(centred * centred, axes));
  const double d = next_decay(finetune);
  if (!config().in_recomputing) {
    const double count = static_cast<double>(x.size() / x.shape(1)) * comm_->size();
    const double unbiased = count / std::max(count - 1, 1.0);
    copy_elements((avg_mean * d + mean.array().astype(avg_mean.dtype()) * (1 - d)).astype(avg_mean.dtype()), avg_mean);
    copy_elements((avg_var * d + var.array().astype(avg_var.dtype()) * (unbiased * (1 - d))).astype(avg_var.dtype()),
                  avg_var);
  }
  const Variable scaled = centred * wide(F::rsqrt(var + eps) * gamma_for(x));
  return scaled + wide(beta_for(x));
}

}  // namespace chainer::mn::links
