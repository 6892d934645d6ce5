// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {

Uniform::Uniform(const UniformOptions& o) : low(o.low), high(o.high), loc(o.loc), scale(o.scale) {
  const bool ends = low && high && !loc && !scale, place = loc && scale && !low && !high;
  if (ends == place) throw ValueError("Uniform: either low and high or loc and scale (not both) must have a value");
  const ForceBackpropMode graph;  // this object keeps the graph, even if built in no_backprop_mode
  if (ends) {
    prepare("Uniform", {{"low", &low}, {"high", &high}});
    loc = low, scale = high - low;
  } else {
    prepare("Uniform", {{"loc", &loc}, {"scale", &scale}});
    low = loc, high = loc + scale;
  }
}

// True where x lies between low and high.
Variable Uniform::inside(const Variable& x) const {
  return Variable(logical_and(greater_equal(x.array(), low.array()), less_equal(x.array(), high.array())), false);
}

Variable Uniform::sample_n(int64_t n) const {
  const Shape shape = with_samples(n, low.shape());
  return icdf(drawn(random::global().random_sample(shape, low.dtype()), low));
}

Variable Uniform::log_prob(const Variable& x) const {
  return F::where(inside(x), -F::log(scale), constant(-std::numeric_limits<double>::infinity(), low));
}
Variable Uniform::prob(const Variable& x) const { return F::where(inside(x), 1 / scale, constant(0, low)); }

Variable Uniform::cdf(const Variable& x) const { return F::clip((x - loc) / scale, 0, 1); }
Variable Uniform::survival_function(const Variable& x) const { return F::clip((high - x) / scale, 0, 1); }
Variable Uniform::icdf(const Variable& x) const { return x * scale + loc; }
Variable Uniform::entropy() const { return F::log(scale); }
Variable Uniform::mean() const { return high * 0.5 + low * 0.5; }
Variable Uniform::variance() const { return F::square(scale) * (1.0 / 12); }
Variable Uniform::stddev() const { return F::absolute(scale) * std::sqrt(1.0 / 12); }

Variable kl(const Uniform& p, const Uniform& q) {
  const Variable outside(logical_or(greater(p.high.array(), q.high.array()), less(p.low.array(), q.low.array())),
                         false);
  return F::where(outside, constant(std::numeric_limits<double>::infinity(), p.low), F::log(q.scale) - F::log(p.scale));
}

}  // namespace chainer::distributions
