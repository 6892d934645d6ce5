// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization.h"

#include <algorithm>

#include "chainer/links/normalization.h"
#include "chainer/routines/creation.h"

namespace chainer::links {
namespace {

// An initializer that makes arrays of a given dtype.
struct Typed : Initializer {
  Typed(InitializerArg i, Dtype d) : Initializer(d), inner(std::move(i)) {}
  void operator()(Array& a) const override { (*inner.get())(a); }
  InitializerArg inner;
};

}  // namespace

BatchNormalization::BatchNormalization(std::nullopt_t, const BatchNormalizationOptions& o)
    : decay(o.decay),
      eps(o.eps),
      dtype_(get_dtype(o.dtype)),
      axis_(o.axis),
      initial_mean_(o.initial_avg_mean),
      initial_var_(o.initial_avg_var) {
  if (o.use_gamma) gamma.emplace(Typed(o.initial_gamma.value_or(1.0), *dtype_));
  if (o.use_beta) beta.emplace(Typed(o.initial_beta.value_or(0.0), *dtype_));
}

BatchNormalization::BatchNormalization(const Shape& size, const BatchNormalizationOptions& o)
    : BatchNormalization(std::nullopt, o) {
  initialize(size);
}

void BatchNormalization::initialize(const Shape& size) {
  if (!avg_mean) avg_mean = generate_array(initial_mean_.value_or(0.0), size, dtype_);
  if (!avg_var) avg_var = generate_array(initial_var_.value_or(1.0), size, dtype_);
  for (auto* p : {&gamma, &beta})
    if (*p && !(*p)->is_initialized()) (*p)->initialize(size);
}

Variable BatchNormalization::gamma_for(const Variable& x) const {
  return gamma ? gamma->variable() : Variable(ones(avg_mean.shape(), x.dtype(), x.device()), false);
}
Variable BatchNormalization::beta_for(const Variable& x) const {
  return beta ? beta->variable() : Variable(zeros(avg_mean.shape(), x.dtype(), x.device()), false);
}

double BatchNormalization::next_decay(bool finetune) {
  if (!finetune) return decay;
  const int64_t n = N + 1;
  if (!config().in_recomputing) N = n;
  return 1 - 1 / static_cast<double>(n);
}

Variable BatchNormalization::forward(const Variable& x, bool finetune) {
  if (!avg_mean || !avg_var || (gamma && !gamma->is_initialized()) || (beta && !beta->is_initialized())) {
    if (!axis_.given() && !avg_mean) throw RuntimeError("BatchNormalization: size or axis is required");
    Shape size;
    if (axis_.given()) {
      const Dims averaged = axis_.normalized(x.ndim(), "BatchNormalization");
      for (int d = 0; d < x.ndim(); ++d)
        if (std::find(averaged.begin(), averaged.end(), d) == averaged.end()) size.push_back(x.shape()[d]);
    } else {
      size = avg_mean.shape();
    }
    initialize(size);
  }
  // Statistics that were made or loaded after the link was moved.
  const Device device = gamma ? gamma->array().device() : beta ? beta->array().device() : x.device();
  for (Array* a : {&avg_mean, &avg_var})
    if (a->device() != device) *a = a->to_device(device);
  if (!config().train)
    return functions::fixed_batch_normalization(x, gamma_for(x), beta_for(x), avg_mean, avg_var,
                                                {.eps = eps, .axis = axis_});
  const double d = next_decay(finetune);
  functions::BatchNormalizationOptions o{.eps = eps, .decay = d, .axis = axis_};
  // When a graph is recomputed, the statistics have already been updated.
  if (!config().in_recomputing) o.running_mean = avg_mean, o.running_var = avg_var;
  return functions::batch_normalization(x, gamma_for(x), beta_for(x), o);
}

CHAINER_DEFINE_MEMBERS(BatchNormalization, gamma, beta, avg_mean, avg_var, N)

}  // namespace chainer::links
