// SPDX-License-Identifier: MIT
#include <limits>

#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {
namespace {

Variable lbeta(const Variable& a, const Variable& b) { return F::lgamma(a) + F::lgamma(b) - F::lgamma(a + b); }

}  // namespace

Beta::Beta(const Variable& a_, const Variable& b_) : a(a_), b(b_) { prepare("Beta", {{"a", &a}, {"b", &b}}); }

Variable Beta::sample_n(int64_t n) const {
  return drawn(random::global().beta(a.array(), b.array(), with_samples(n, a.shape()), a.dtype()), a);
}

Variable Beta::log_prob(const Variable& x) const {
  const Variable inside(logical_and(greater_equal(x.array(), 0), less_equal(x.array(), 1)), false);
  const Variable at = F::where(inside, x, constant(0.5, x));
  const Variable y = weighted(a - 1, guarded_log(at)) + weighted(b - 1, guarded_log1p(-at)) - lbeta(a, b);
  return F::where(inside, y, constant(-std::numeric_limits<double>::infinity(), a));
}

// 1 / B(a, b) is written as a b / (a + b) Gamma(a + b + 1) / (Gamma(a + 1) Gamma(b + 1)): for small a or b this avoids
// gradients of size 1 / a that cancel.
Variable Beta::prob(const Variable& x) const {
  const Variable inside(logical_and(greater_equal(x.array(), 0), less_equal(x.array(), 1)), false);
  const Variable at = F::where(inside, x, constant(0.5, x));
  const Variable rest = F::lgamma(a + 1) + F::lgamma(b + 1) - F::lgamma(a + b + 1);
  const Variable y =
      vanishing_exp(weighted(a - 1, guarded_log(at)) + weighted(b - 1, guarded_log1p(-at)) - rest) * (a / (a + b)) * b;
  return F::where(inside, y, constant(0, a));
}

Variable Beta::entropy() const {
  return lbeta(a, b) - (a - 1) * F::digamma(a) - (b - 1) * F::digamma(b) + (a + b - 2) * F::digamma(a + b);
}

Variable Beta::mean() const { return a / (a + b); }

Variable Beta::mode() const {
  const Variable inside(logical_and(greater(a.array(), 1), greater(b.array(), 1)), false);
  return F::where(inside, (a - 1) / (a + b - 2), constant(std::numeric_limits<double>::quiet_NaN(), a));
}

Variable Beta::variance() const {
  const Variable total = a + b;
  return a / total * (b / total) / (total + 1);
}
Variable Beta::stddev() const {
  const Variable total = a + b;
  return F::sqrt(a / total) * F::sqrt(b / total) / F::sqrt(total + 1);
}

Variable kl(const Beta& p, const Beta& q) {
  const Variable total = p.a + p.b;
  return lbeta(q.a, q.b) - lbeta(p.a, p.b) + (p.a - q.a) * F::digamma(p.a) + (p.b - q.b) * F::digamma(p.b) +
         (q.a + q.b - total) * F::digamma(total);
}

}  // namespace chainer::distributions
