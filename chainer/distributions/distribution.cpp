// SPDX-License-Identifier: MIT
#include "chainer/distributions/distribution.h"

#include "chainer/core/system/type_name.h"
#include "chainer/distributions/parameters.h"
#include "chainer/functions/math.h"

namespace chainer {

std::string Distribution::name() const { return type_name(typeid(*this)); }

void Distribution::missing(const char* what) const { throw NotImplementedError(name(), ": ", what, " is not defined"); }

std::string Distribution::support() const { missing("support"); }

Variable Distribution::sample(const Shape& sample_shape) const {
  int64_t n = 1;
  for (int64_t d : sample_shape) n *= d;
  Shape shape = sample_shape;
  const Variable samples = sample_n(n);
  for (int i = 1; i < samples.ndim(); ++i) shape.push_back(samples.shape()[i]);
  return samples.reshape(shape);
}

Variable Distribution::prob(const Variable& x) const { return distributions::vanishing_exp(log_prob(x)); }
Variable Distribution::cdf(const Variable&) const { missing("cdf"); }
Variable Distribution::log_cdf(const Variable& x) const { return F::log(cdf(x)); }
Variable Distribution::icdf(const Variable&) const { missing("icdf"); }
Variable Distribution::survival_function(const Variable& x) const { return 1 - cdf(x); }
Variable Distribution::log_survival_function(const Variable& x) const { return F::log(survival_function(x)); }
Variable Distribution::entropy() const { missing("entropy"); }
Variable Distribution::perplexity(const Variable&) const { return distributions::vanishing_exp(entropy()); }
Variable Distribution::mean() const { missing("mean"); }
Variable Distribution::mode() const { missing("mode"); }
Variable Distribution::variance() const { missing("variance"); }
Variable Distribution::stddev() const { return F::sqrt(variance()); }
Variable Distribution::covariance() const {
  if (event_shape().ndim()) missing("covariance");
  return variance();
}

}  // namespace chainer
