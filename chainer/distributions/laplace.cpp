// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <numbers>

#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {
namespace {

Variable is_negative(const Variable& z) { return Variable(less(z.array(), 0), false); }

// Below -800 exp and all its derivatives are 0. The clip keeps these from meeting an infinite gradient (0 * inf = NaN)
// when scale is tiny.
Variable limited(const Variable& z) { return F::clip(z, -800, std::numeric_limits<double>::infinity()); }

// exp(-|z|) / 2: the cdf for negative z, one minus the cdf otherwise. At 0 the gradient is that of the right side,
// which matches the callers' choice of branch.
Variable tail(const Variable& z) { return F::exp(limited(F::where(is_negative(z), z, -z))) * 0.5; }

// log(1 - tail(z)) for z >= 0, log(tail(z)) = log(exp(z) / 2) below.
Variable log_mass_below(const Variable& z) {
  const Variable above = F::where(is_negative(z), constant(0, z), z);
  return F::where(is_negative(z), z - std::numbers::ln2, F::log1p(F::exp(limited(-above)) * -0.5));
}

}  // namespace

Laplace::Laplace(const Variable& l, const Variable& s) : loc(l), scale(s) {
  prepare("Laplace", {{"loc", &loc}, {"scale", &scale}});
}

Variable Laplace::sample_n(int64_t n) const {
  const Shape shape = with_samples(n, loc.shape());
  return drawn(random::global().laplace(0, 1, shape, loc.dtype()), loc) * scale + loc;
}

Variable Laplace::log_prob(const Variable& x) const {
  return -std::numbers::ln2 - F::log(scale) - F::absolute(x - loc) / scale;
}

// Far out the density and its gradients are 0; clipping keeps the gradients of the exponent from overflowing.
Variable Laplace::prob(const Variable& x) const {
  const Variable z = F::clip((x - loc) / scale, -800, 800);
  return vanishing_exp(-F::absolute(z)) * 0.5 / scale;
}

Variable Laplace::cdf(const Variable& x) const {
  const Variable z = (x - loc) / scale, t = tail(z);
  return F::where(is_negative(z), t, 1 - t);
}

Variable Laplace::log_cdf(const Variable& x) const { return log_mass_below((x - loc) / scale); }

Variable Laplace::survival_function(const Variable& x) const {
  const Variable z = (x - loc) / scale, t = tail(z);
  return F::where(is_negative(z), 1 - t, t);
}

Variable Laplace::log_survival_function(const Variable& x) const { return log_mass_below((loc - x) / scale); }

Variable Laplace::icdf(const Variable& x) const {
  const Variable lower(less(x.array(), 0.5), false), t = std::numbers::ln2 + F::log(F::where(lower, x, 1 - x));
  return loc + scale * F::where(lower, t, -t);
}

Variable Laplace::entropy() const { return (1 + std::numbers::ln2) + F::log(scale); }
Variable Laplace::variance() const { return 2 * F::square(scale); }
Variable Laplace::stddev() const { return std::sqrt(2.0) * scale; }

Variable kl(const Laplace& p, const Laplace& q) {
  const Variable distance = F::absolute(p.loc - q.loc);
  return F::log(q.scale) - F::log(p.scale) + distance / q.scale + p.scale / q.scale * F::exp(-distance / p.scale) - 1;
}

}  // namespace chainer::distributions
