// SPDX-License-Identifier: MIT
#include "chainer/distributions/parameters.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::distributions {

Bernoulli::Bernoulli(const BernoulliOptions& o) : p(o.p), logit(o.logit), binary_check_(o.binary_check) {
  if (static_cast<bool>(p) == static_cast<bool>(logit))
    throw ValueError("Bernoulli: either p or logit (not both) must have a value");
  const ForceBackpropMode graph;  // this object keeps the graph, even if built in no_backprop_mode
  if (p) {
    prepare("Bernoulli", {{"p", &p}});
    logit = F::log(p) - F::log1p(-p);
  } else {
    prepare("Bernoulli", {{"logit", &logit}});
    given_logit_ = true;
    p = F::sigmoid(logit);
  }
}

Variable Bernoulli::sample_n(int64_t n) const {
  return drawn(random::global().binomial(1, p.array(), with_samples(n, p.shape())), p);
}

Variable Bernoulli::failure() const { return given_logit_ ? F::sigmoid(-logit) : 1 - p; }
Variable Bernoulli::log_success() const { return given_logit_ ? -F::softplus(-logit) : guarded_log(p); }
Variable Bernoulli::log_failure() const { return given_logit_ ? -F::softplus(logit) : guarded_log1p(-p); }

Variable Bernoulli::log_prob(const Variable& x) const {
  const Variable at = F::cast(x, p.dtype());
  const Variable y = weighted(at, log_success()) + weighted(1 - at, log_failure());
  if (!binary_check_) return y;
  const Array valid = logical_or(equal(at.array(), 0), equal(at.array(), 1));
  return F::where(Variable(valid, false), y, constant(-kInf, p));
}

Variable Bernoulli::prob(const Variable& x) const {
  const Variable at = F::cast(x, p.dtype());
  const Variable y = at * p + (1 - at) * failure();
  return binary_check_ ? y * logical_or(equal(at.array(), 0), equal(at.array(), 1)).astype(p.dtype()) : y;
}

// `below` where x < 0, `between` where 0 <= x < 1, `above` where x >= 1.
Variable Bernoulli::steps(const Variable& x, double below, const Variable& between, double above) const {
  const Variable first(less(x.array(), 0), false), last(greater_equal(x.array(), 1), false);
  return F::where(first, constant(below, p), F::where(last, constant(above, p), between));
}

Variable Bernoulli::cdf(const Variable& x) const { return steps(x, 0, failure(), 1); }
Variable Bernoulli::log_cdf(const Variable& x) const { return steps(x, -kInf, log_failure(), 0); }
Variable Bernoulli::survival_function(const Variable& x) const { return steps(x, 1, p, 0); }
Variable Bernoulli::log_survival_function(const Variable& x) const { return steps(x, 0, log_success(), -kInf); }

Variable Bernoulli::entropy() const {
  if (!given_logit_ || any(isinf(logit.array())).item<bool>()) {
    const Variable q = failure();
    return -weighted(p, log_success()) - weighted(q, log_failure());
  }
  // The entropy is an even function of the logit. Written for |logit| it avoids differences of large numbers.
  const Variable a = F::where(Variable(less(logit.array(), 0), false), -logit, logit);
  return F::softplus(-a) + a * F::sigmoid(-a);
}
Variable Bernoulli::mode() const { return Variable(greater(p.array(), 0.5).astype(p.dtype()), false); }
Variable Bernoulli::variance() const { return p * failure(); }
Variable Bernoulli::stddev() const {
  // From the logit: exp(logit / 2) / (1 + exp(logit)), whose gradient is not 0 where p rounds to 0.
  return given_logit_ ? F::exp(logit * 0.5 - F::softplus(logit)) : F::sqrt(p) * F::sqrt(failure());
}

Variable kl(const Bernoulli& p, const Bernoulli& q) {
  return weighted_difference(p.p, p.log_success(), q.log_success()) +
         weighted_difference(p.failure(), p.log_failure(), q.log_failure());
}

}  // namespace chainer::distributions
