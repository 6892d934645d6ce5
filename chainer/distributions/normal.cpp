// SPDX-License-Identifier: MIT
#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {

Normal::Normal(const Variable& l, const Variable& s) : loc(l), scale(s) {
  prepare("Normal", {{"loc", &loc}, {"scale", &scale}});
  const ForceBackpropMode graph;  // this object keeps the graph, even if built in no_backprop_mode
  log_scale = F::log(scale);
}

Normal::Normal(const Variable& l, const NormalOptions& o) : loc(l), log_scale(o.log_scale) {
  prepare("Normal", {{"loc", &loc}, {"log_scale", &log_scale}});
  const ForceBackpropMode graph;
  scale = F::exp(log_scale);
  given_log_scale_ = true;
}

Variable Normal::sample_n(int64_t n) const {
  const Shape shape = with_samples(n, loc.shape());
  return loc + scale * drawn(random::global().standard_normal(shape, loc.dtype()), loc);
}

// From log_scale if given: scale itself may be 0 or infinite.
Variable Normal::standardized(const Variable& x) const {
  return given_log_scale_ ? (x - loc) * vanishing_exp(-log_scale) : (x - loc) / scale;
}

Variable Normal::log_prob(const Variable& x) const {
  return -kHalfLog2Pi - log_scale - 0.5 * F::square(standardized(x));
}

// z is clipped where probabilities and densities are 0 or 1 with gradient 0: with a tiny scale a gradient of 0 would
// otherwise meet an infinite one (0 * inf = NaN).
Variable Normal::prob(const Variable& x) const {
  const Variable z = F::clip(standardized(x), -40, 40);
  const Variable y = vanishing_exp(-kHalfLog2Pi - 0.5 * F::square(z));
  if (!given_log_scale_) return y / scale;
  const Variable vanishes(equal(y.array(), 0), false);
  return F::where(vanishes, constant(0, y), y * vanishing_exp(-log_scale));
}

Variable Normal::cdf(const Variable& x) const { return F::ndtr(F::clip(standardized(x), -40, 40)); }
Variable Normal::log_cdf(const Variable& x) const { return F::log_ndtr(F::clip(standardized(x), -kInf, 40)); }
Variable Normal::icdf(const Variable& x) const { return loc + scale * F::ndtri(x); }
Variable Normal::survival_function(const Variable& x) const { return F::ndtr(F::clip(-standardized(x), -40, 40)); }
Variable Normal::log_survival_function(const Variable& x) const {
  return F::log_ndtr(F::clip(-standardized(x), -kInf, 40));
}
Variable Normal::entropy() const { return log_scale + (0.5 + kHalfLog2Pi); }
Variable Normal::variance() const { return F::square(scale); }

Variable kl(const Normal& p, const Normal& q) {
  const bool by_log = p.given_log_scale_ || q.given_log_scale_;
  const Variable ratio = by_log ? vanishing_exp(p.log_scale - q.log_scale) : p.scale / q.scale;
  return q.log_scale - p.log_scale + 0.5 * (F::square(ratio) + F::square(q.standardized(p.loc))) - 0.5;
}

}  // namespace chainer::distributions
