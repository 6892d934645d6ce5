// SPDX-License-Identifier: MIT
#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {

LogNormal::LogNormal(const Variable& m, const Variable& s) : mu(m), sigma(s) {
  prepare("LogNormal", {{"mu", &mu}, {"sigma", &sigma}});
}

Variable LogNormal::sample_n(int64_t n) const {
  const Shape shape = with_samples(n, mu.shape());
  return F::exp(sigma * drawn(random::global().standard_normal(shape, mu.dtype()), mu) + mu);
}

// Callers clip the result where probabilities and densities are 0 or 1 with gradient 0: with a tiny sigma a gradient of
// 0 would otherwise meet an infinite one (0 * inf = NaN).
Variable LogNormal::standardized(const Variable& x) const { return (F::log(x) - mu) / sigma; }

Variable LogNormal::log_prob(const Variable& x) const {
  const Variable y = F::log(x);
  return -kHalfLog2Pi - F::log(sigma) - y - 0.5 * F::square((y - mu) / sigma);
}

Variable LogNormal::prob(const Variable& x) const {
  const Variable z = F::clip(standardized(x), -40, 40);
  return vanishing_exp(-kHalfLog2Pi - 0.5 * F::square(z)) / sigma / x;
}

Variable LogNormal::cdf(const Variable& x) const { return F::ndtr(F::clip(standardized(x), -40, 40)); }
Variable LogNormal::log_cdf(const Variable& x) const { return F::log_ndtr(F::clip(standardized(x), -kInf, 40)); }
Variable LogNormal::survival_function(const Variable& x) const { return F::ndtr(F::clip(-standardized(x), -40, 40)); }
Variable LogNormal::log_survival_function(const Variable& x) const {
  return F::log_ndtr(F::clip(-standardized(x), -kInf, 40));
}
Variable LogNormal::icdf(const Variable& x) const { return F::exp(mu + sigma * F::ndtri(x)); }
Variable LogNormal::entropy() const { return (0.5 + kHalfLog2Pi) + F::log(sigma) + mu; }
Variable LogNormal::mean() const { return F::exp(mu + 0.5 * F::square(sigma)); }
Variable LogNormal::mode() const { return vanishing_exp(mu - F::square(sigma)); }
Variable LogNormal::variance() const { return F::exp(2 * mu + F::square(sigma)) * F::expm1(F::square(sigma)); }
// exp(mu + v) sqrt(1 - exp(-v)) with v = sigma^2. For small v, which may round to 0, the root is sigma times the root
// of a series; for v >= 50 it is 1.
Variable LogNormal::stddev() const {
  const Variable v = F::square(sigma), small(less(v.array(), 1e-2), false);
  const Variable large = F::where(small, constant(1, v), v), w = F::where(small, v, constant(0, v));
  Variable series = 1 - w * (1.0 / 9);
  for (int k = 8; k >= 2; --k) series = 1 - w * series * (1.0 / k);
  const Variable root = F::sqrt(-F::expm1(-F::clip(large, 0, 50)));
  return F::exp(mu + v) * F::where(small, sigma * F::sqrt(series), root);
}

Variable kl(const LogNormal& p, const LogNormal& q) {
  return 0.5 * (F::square((p.mu - q.mu) / q.sigma) + F::square(p.sigma / q.sigma)) - 0.5 + F::log(q.sigma) -
         F::log(p.sigma);
}

}  // namespace chainer::distributions
