// SPDX-License-Identifier: MIT
#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {
namespace {

Variable lbeta(const Variable& alpha) { return F::sum(F::lgamma(alpha), -1) - F::lgamma(F::sum(alpha, -1)); }

}  // namespace

Dirichlet::Dirichlet(const Variable& a) : alpha(a) {
  prepare("Dirichlet", {{"alpha", &alpha}});
  if (alpha.ndim() == 0 || alpha.shape(-1) == 0)
    throw DimensionError("Dirichlet: alpha must have elements along the last axis, got shape ", alpha.shape());
}

Variable Dirichlet::alpha0() const { return F::sum(alpha, -1); }

Variable Dirichlet::sample_n(int64_t n) const {
  const int64_t k = alpha.shape(-1), count = alpha.size() / k;
  const std::vector<double> all = alpha.array().to_vector<double>();
  Arrays draws;
  for (int64_t i = 0; i < count; ++i)
    draws.push_back(
        random::global().dirichlet(std::vector<double>(all.begin() + i * k, all.begin() + (i + 1) * k), {n}));
  const Shape shape = with_samples(n, alpha.shape());
  if (draws.empty()) return drawn(zeros(shape, alpha.dtype()), alpha);
  return drawn(chainer::stack(draws, 1).reshape(shape).astype(alpha.dtype()), alpha);
}

Variable Dirichlet::log_prob(const Variable& x) const {
  return F::sum(weighted(alpha - 1, guarded_log(x)), -1) - lbeta(alpha);
}

Variable Dirichlet::entropy() const {
  const double k = static_cast<double>(alpha.shape(-1));
  return lbeta(alpha) + (alpha0() - k) * F::digamma(alpha0()) - F::sum((alpha - 1) * F::digamma(alpha), -1);
}

Variable Dirichlet::mean() const { return alpha / F::expand_dims(alpha0(), -1); }

Variable Dirichlet::variance() const {
  const Variable total = F::expand_dims(alpha0(), -1);
  return alpha / total * ((total - alpha) / total) / (total + 1);
}

Variable Dirichlet::covariance() const {
  const Variable m = mean(), total = F::expand_dims(F::expand_dims(alpha0(), -1), -1);
  const Variable diagonal(eye(alpha.shape(-1), {}, 0, alpha.dtype()).to_device(alpha.device()), false);
  return (F::expand_dims(m, -1) * diagonal - F::expand_dims(m, -1) * F::expand_dims(m, -2)) / (total + 1);
}

Variable kl(const Dirichlet& p, const Dirichlet& q) {
  const Variable difference = F::digamma(p.alpha) - F::expand_dims(F::digamma(p.alpha0()), -1);
  return lbeta(q.alpha) - lbeta(p.alpha) + F::sum((p.alpha - q.alpha) * difference, -1);
}

}  // namespace chainer::distributions
