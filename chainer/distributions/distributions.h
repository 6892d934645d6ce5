// SPDX-License-Identifier: MIT
// The distributions (manual: "Distributions"). The parameters of a distribution broadcast to a common batch shape.
// Errors: see distribution.h.
#pragma once
#include "chainer/distributions/distribution.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace distributions {

/// Options of Bernoulli.
struct BernoulliOptions {
  Variable p = {};            ///< the probability of 1; give either p or logit (ValueError otherwise)
  Variable logit = {};        ///< log(p / (1 - p))
  bool binary_check = false;  ///< values other than 0 and 1 have probability 0
};
/// 1 with probability p, else 0. Samples are int64, without gradient. log_prob() and prob() are linear in x and have a
/// gradient with respect to x (that of the release has none); with binary_check a value other than 0 and 1 has the
/// log-probability -inf and no gradient (in the release, that with respect to the parameter is NaN).
///   distributions::Bernoulli(array({0.25f})).log_prob(array({1}))  // [-1.386]
class Bernoulli : public Distribution {
 public:
  explicit Bernoulli(const Variable& p) : Bernoulli(BernoulliOptions{.p = p}) {}
  explicit Bernoulli(const BernoulliOptions& options);
  CHAINER_OTHER_OPTIONS(Bernoulli, ".p, .logit, .binary_check");
  Variable p, logit;
  Shape batch_shape() const override { return p.shape(); }
  std::map<std::string, Variable> params() const override { return {{"logit", logit}}; }
  std::string support() const override { return "{0, 1}"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable cdf(const Variable& x) const override;
  Variable log_cdf(const Variable& x) const override;
  Variable survival_function(const Variable& x) const override;
  Variable log_survival_function(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override { return p; }
  Variable mode() const override;
  Variable variance() const override;
  Variable stddev() const override;

 private:
  friend Variable kl(const Bernoulli& p, const Bernoulli& q);
  // The probability of 0, and the logarithms of both probabilities, from the given one of p and logit: accurate also
  // where the other probability rounds to 1.
  Variable failure() const;
  Variable log_success() const;
  Variable log_failure() const;
  Variable steps(const Variable& x, double below, const Variable& between, double above) const;
  bool binary_check_;
  bool given_logit_ = false;
};

/// Density x^(a-1) (1-x)^(b-1) / B(a, b) on [0, 1]. Samples have no gradient. The entropy and gradients throw
/// MissingPartError in a build without Boost.Math.
///   distributions::Beta(array({2.f}), array({2.f})).mean()  // [0.5]
class Beta : public Distribution {
 public:
  Beta(const Variable& a, const Variable& b);
  Variable a, b;
  Shape batch_shape() const override { return a.shape(); }
  std::map<std::string, Variable> params() const override { return {{"a", a}, {"b", b}}; }
  std::string support() const override { return "[0, 1]"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override;
  /// Returns NaN unless a and b are above 1.
  Variable mode() const override;
  Variable variance() const override;
  Variable stddev() const override;
};

/// Options of Categorical.
struct CategoricalOptions {
  Variable p = {};      ///< probabilities along the last axis, with sum one; give either p or logit
  Variable logit = {};  ///< log p plus any constant
};
/// i with probability p[..., i]. Samples are int64, without gradient. The constructor throws ValueError unless either p
/// or logit is given, DimensionError if it has no axis.
///   distributions::Categorical(array({0.5f, 0.25f, 0.25f})).entropy()  // 1.040
class Categorical : public Distribution {
 public:
  explicit Categorical(const Variable& p) : Categorical(CategoricalOptions{.p = p}) {}
  explicit Categorical(const CategoricalOptions& options);
  CHAINER_OTHER_OPTIONS(Categorical, ".p, .logit");
  Variable p, log_p;
  Shape batch_shape() const override { return Shape(p.shape().begin(), p.shape().end() - 1); }
  std::map<std::string, Variable> params() const override { return {{"p", p}}; }
  std::string support() const override { return "{0, ..., K - 1}"; }
  Variable sample_n(int64_t n) const override;
  /// Throws TypeError unless x is integer, IndexError for a value that is not in 0 ... K - 1.
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable entropy() const override;
  Variable mode() const override;
};

/// Density proportional to the product of x_i^(alpha_i - 1) on vectors with sum one, along the last axis. Samples have
/// no gradient. The constructor throws DimensionError if alpha has no elements along an axis; the entropy and gradients
/// throw MissingPartError in a build without Boost.Math.
///   distributions::Dirichlet(array({1.f, 1.f, 2.f})).mean()  // [0.25, 0.25, 0.5]
class Dirichlet : public Distribution {
 public:
  explicit Dirichlet(const Variable& alpha);
  Variable alpha;
  Variable alpha0() const;  ///< the sum of alpha
  Shape batch_shape() const override { return Shape(alpha.shape().begin(), alpha.shape().end() - 1); }
  Shape event_shape() const override { return {alpha.shape(-1)}; }
  std::map<std::string, Variable> params() const override { return {{"alpha", alpha}}; }
  std::string support() const override { return "[0, 1]"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override;
  Variable variance() const override;
  Variable covariance() const override;
};

/// Density exp(-|x - loc| / scale) / (2 scale).
///   distributions::Laplace(array({0.f}), array({1.f})).cdf(array({0.f}))  // [0.5]
class Laplace : public Distribution {
 public:
  Laplace(const Variable& loc, const Variable& scale);
  Variable loc, scale;
  Shape batch_shape() const override { return loc.shape(); }
  std::map<std::string, Variable> params() const override { return {{"loc", loc}, {"scale", scale}}; }
  std::string support() const override { return "real"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable cdf(const Variable& x) const override;
  Variable icdf(const Variable& x) const override;
  Variable log_cdf(const Variable& x) const override;
  Variable survival_function(const Variable& x) const override;
  Variable log_survival_function(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override { return loc; }
  Variable mode() const override { return loc; }
  Variable variance() const override;
  Variable stddev() const override;
};

/// exp of a normally distributed number with mean mu and standard deviation sigma.
///   distributions::LogNormal(array({0.f}), array({1.f})).mean()  // [1.649]
class LogNormal : public Distribution {
 public:
  LogNormal(const Variable& mu, const Variable& sigma);
  Variable mu, sigma;
  Shape batch_shape() const override { return mu.shape(); }
  std::map<std::string, Variable> params() const override { return {{"mu", mu}, {"sigma", sigma}}; }
  std::string support() const override { return "positive"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable cdf(const Variable& x) const override;
  Variable log_cdf(const Variable& x) const override;
  Variable icdf(const Variable& x) const override;
  Variable survival_function(const Variable& x) const override;
  Variable log_survival_function(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override;
  Variable mode() const override;
  Variable variance() const override;
  Variable stddev() const override;

 private:
  Variable standardized(const Variable& x) const;
};

/// Options of MultivariateNormal.
struct MultivariateNormalOptions {
  Variable scale_tril;  ///< (..., d, d), lower triangular: L in the covariance L L^T
};
/// The normal distribution of vectors (..., d) with mean loc. The constructor throws DimensionError if the shapes do
/// not match.
///   distributions::MultivariateNormal(zeros({2}), {.scale_tril = eye(2)}).log_prob(zeros({2}))  // -1.838
class MultivariateNormal : public Distribution {
 public:
  MultivariateNormal(const Variable& loc, const MultivariateNormalOptions& options);
  CHAINER_OTHER_OPTIONS(MultivariateNormal, ".scale_tril", const Variable&);
  Variable loc, scale_tril;
  Shape batch_shape() const override { return Shape(loc.shape().begin(), loc.shape().end() - 1); }
  Shape event_shape() const override { return {loc.shape(-1)}; }
  std::map<std::string, Variable> params() const override { return {{"loc", loc}, {"scale_tril", scale_tril}}; }
  std::string support() const override { return "real"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override { return loc; }
  Variable mode() const override { return loc; }
  Variable variance() const override;
  Variable covariance() const override;
};

/// Options of Normal, for a scale that is given by its logarithm.
struct NormalOptions {
  Variable log_scale;
};
/// The normal distribution with mean loc and standard deviation scale.
///   distributions::Normal(array({0.f}), array({1.f})).log_prob(array({0.f}))  // [-0.919]
class Normal : public Distribution {
 public:
  Normal(const Variable& loc, const Variable& scale);
  Normal(const Variable& loc, const NormalOptions& options);
  CHAINER_OTHER_OPTIONS(Normal, ".log_scale", const Variable&);
  Variable loc, scale, log_scale;
  Shape batch_shape() const override { return loc.shape(); }
  std::map<std::string, Variable> params() const override { return {{"loc", loc}, {"scale", scale}}; }
  std::string support() const override { return "real"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable cdf(const Variable& x) const override;
  Variable log_cdf(const Variable& x) const override;
  Variable icdf(const Variable& x) const override;
  Variable survival_function(const Variable& x) const override;
  Variable log_survival_function(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override { return loc; }
  Variable mode() const override { return loc; }
  Variable variance() const override;
  Variable stddev() const override { return scale; }

 private:
  friend Variable kl(const Normal& p, const Normal& q);
  Variable standardized(const Variable& x) const;
  bool given_log_scale_ = false;
};

/// Options of Uniform: loc and scale, or low and high.
struct UniformOptions {
  Variable loc = {}, scale = {};  ///< low, and high - low
  Variable low = {}, high = {};
};
/// Uniformly distributed values in [low, high]. If low is greater than high, all densities are 0, the entropy is NaN,
/// and variance and stddev are computed from high - low, as in the release. The constructor throws ValueError unless
/// either loc and scale or low and high are given.
///   distributions::Uniform({.low = array({1.f}), .high = array({3.f})}).mean()  // [2]
class Uniform : public Distribution {
 public:
  explicit Uniform(const UniformOptions& options);
  CHAINER_OTHER_OPTIONS(Uniform, ".loc, .scale, .low, .high");
  Variable low, high, loc, scale;
  Shape batch_shape() const override { return low.shape(); }
  std::map<std::string, Variable> params() const override { return {{"low", low}, {"high", high}}; }
  std::string support() const override { return "[low, high]"; }
  Variable sample_n(int64_t n) const override;
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable cdf(const Variable& x) const override;
  Variable survival_function(const Variable& x) const override;
  Variable icdf(const Variable& x) const override;
  Variable entropy() const override;
  Variable mean() const override;
  Variable variance() const override;
  Variable stddev() const override;

 private:
  Variable inside(const Variable& x) const;
};

}  // namespace distributions
namespace D = distributions;
}  // namespace chainer
