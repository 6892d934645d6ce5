#include <limits>

#include "chainer/distributions/parameters.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::distributions {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
}  // namespace

Bernoulli::Bernoulli(const BernoulliOptions& o) : p(o.p), logit(o.logit), binary_check_(o.binary_check) {
  if (static_cast<bool>(p) == static_cast<bool>(logit))
    throw ValueError("Bernoulli: either p or logit (not both) must have a value");
  const ForceBackpropMode graph;  // kept by this object, also where one without graph evaluates it
  if (p) {
    prepare("Bernoulli", {{"p", &p}});
    logit = F::log(p) - F::log1p(-p);
  } else {
    prepare("Bernoulli", {{"logit", &logit}});
    by_logit_ = !any(isinf(logit.array())).item<bool>();
    p = F::sigmoid(logit);
  }
}

Variable Bernoulli::sample_n(int64_t n) const {
  return drawn(random::global().binomial(1, p.array(), with_samples(n, p.shape())), p);
}

Variable Bernoulli::log_prob(const Variable& x) const {
  const Array at = x.array().astype(p.dtype());
  // Infinite logits are certainties: log(x) or log(1 - x).
  const Array infinite = isinf(logit.array());
  const Variable finite = F::where(Variable(infinite, false), constant(0, p), logit);
  Variable y = finite * Variable(at, false) - F::softplus(finite);
  if (any(infinite).item<bool>()) {
    const Array certain = chainer::where(greater(logit.array(), 0), chainer::log(at), chainer::log(1 - at));
    y = F::where(Variable(infinite, false), Variable(certain, false), y);
  }
  if (binary_check_) {
    const Array valid = logical_or(equal(at, 0), equal(at, 1));
    y = F::where(Variable(valid, false), y, constant(-kInf, p));
  }
  return y;
}

Variable Bernoulli::prob(const Variable& x) const {
  const Variable at = F::cast(x, p.dtype());
  const Variable y = at * p + (1 - at) * (1 - p);
  return binary_check_ ? y * logical_or(equal(at.array(), 0), equal(at.array(), 1)).astype(p.dtype()) : y;
}

Variable Bernoulli::cdf(const Variable& x) const {
  const Array below = less(x.array(), 0).astype(p.dtype()), above = greater_equal(x.array(), 1).astype(p.dtype());
  return (1 - p) * Variable(1 - below - above, false) + above;
}

Variable Bernoulli::entropy() const {
  if (!by_logit_) return -xlogx(p) - xlogx(1 - p);
  // An even function of the logit; written for its absolute value it has no difference of large numbers.
  const Variable a = F::where(Variable(less(logit.array(), 0), false), -logit, logit);
  return F::softplus(-a) + a * F::sigmoid(-a);
}
Variable Bernoulli::mode() const { return Variable(greater(p.array(), 0.5).astype(p.dtype()), false); }
Variable Bernoulli::variance() const { return p * (1 - p); }

Variable kl(const Bernoulli& p, const Bernoulli& q) {
  return (p.logit - q.logit) * (p.p - 1) - F::softplus(-p.logit) + F::softplus(-q.logit);
}

}  // namespace chainer::distributions
