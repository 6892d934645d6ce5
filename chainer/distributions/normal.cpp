#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {

Normal::Normal(const Variable& l, const Variable& s) : loc(l), scale(s) {
  prepare("Normal", {{"loc", &loc}, {"scale", &scale}});
  const ForceBackpropMode graph;  // kept by this object, also where one without graph evaluates it
  log_scale = F::log(scale);
}

Normal::Normal(const Variable& l, const NormalOptions& o) : loc(l), log_scale(o.log_scale) {
  prepare("Normal", {{"loc", &loc}, {"log_scale", &log_scale}});
  const ForceBackpropMode graph;
  scale = F::exp(log_scale);
}

Variable Normal::sample_n(int64_t n) const {
  const Shape shape = with_samples(n, loc.shape());
  return loc + scale * drawn(random::global().standard_normal(shape, loc.dtype()), loc);
}

Variable Normal::standardized(const Variable& x) const { return (x - loc) / scale; }

Variable Normal::log_prob(const Variable& x) const {
  return -kHalfLog2Pi - log_scale - 0.5 * F::square(standardized(x));
}

Variable Normal::cdf(const Variable& x) const { return F::ndtr(standardized(x)); }
Variable Normal::log_cdf(const Variable& x) const { return F::log_ndtr(standardized(x)); }
Variable Normal::icdf(const Variable& x) const { return loc + scale * F::ndtri(x); }
Variable Normal::survival_function(const Variable& x) const { return F::ndtr(-standardized(x)); }
Variable Normal::log_survival_function(const Variable& x) const { return F::log_ndtr(-standardized(x)); }
Variable Normal::entropy() const { return log_scale + (0.5 + kHalfLog2Pi); }
Variable Normal::variance() const { return F::square(scale); }

Variable kl(const Normal& p, const Normal& q) {
  return q.log_scale - p.log_scale + 0.5 * (F::square(p.scale) + F::square(p.loc - q.loc)) / F::square(q.scale) - 0.5;
}

}  // namespace chainer::distributions
