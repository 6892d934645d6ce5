#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {

LogNormal::LogNormal(const Variable& m, const Variable& s) : mu(m), sigma(s) {
  prepare("LogNormal", {{"mu", &mu}, {"sigma", &sigma}});
}

Variable LogNormal::sample_n(int64_t n) const {
  const Shape shape = with_samples(n, mu.shape());
  return F::exp(sigma * drawn(random::global().standard_normal(shape, mu.dtype()), mu) + mu);
}

Variable LogNormal::log_prob(const Variable& x) const {
  const Variable y = F::log(x);
  return -kHalfLog2Pi - F::log(sigma) - y - 0.5 * F::square((y - mu) / sigma);
}

Variable LogNormal::cdf(const Variable& x) const { return F::ndtr((F::log(x) - mu) / sigma); }
Variable LogNormal::log_cdf(const Variable& x) const { return F::log_ndtr((F::log(x) - mu) / sigma); }
Variable LogNormal::survival_function(const Variable& x) const { return F::ndtr((mu - F::log(x)) / sigma); }
Variable LogNormal::log_survival_function(const Variable& x) const { return F::log_ndtr((mu - F::log(x)) / sigma); }
Variable LogNormal::icdf(const Variable& x) const { return F::exp(mu + sigma * F::ndtri(x)); }
Variable LogNormal::entropy() const { return (0.5 + kHalfLog2Pi) + F::log(sigma) + mu; }
Variable LogNormal::mean() const { return F::exp(mu + 0.5 * F::square(sigma)); }
Variable LogNormal::mode() const { return F::exp(mu - F::square(sigma)); }
Variable LogNormal::variance() const { return F::exp(2 * mu + F::square(sigma)) * F::expm1(F::square(sigma)); }

Variable kl(const LogNormal& p, const LogNormal& q) {
  return 0.5 * (F::square(p.mu - q.mu) + F::square(p.sigma)) / F::square(q.sigma) - 0.5 + F::log(q.sigma) -
         F::log(p.sigma);
}

}  // namespace chainer::distributions
