// The distributions (manual: "Distributions"). Parameters of one distribution broadcast to a common batch shape.
#pragma once
#include "chainer/distributions/distribution.h"

namespace chainer {
namespace distributions {

/// Options of Bernoulli.
struct BernoulliOptions {
  Variable p = {};            ///< the probability of 1; this one or logit
  Variable logit = {};        ///< log(p / (1 - p))
  bool binary_check = false;  ///< values other than 0 and 1 have probability 0
};
/// 1 with probability p, else 0. Samples are int64, without gradient. log_prob() and prob() are linear in x and have
/// its gradient (the release's log_prob has none); with binary_check a value other than 0 and 1 has the log-probability
/// -inf and no gradient, by x or by the parameter (the release's gradient by the parameter is NaN there).
///   distributions::Bernoulli(array({0.25f})).log_prob(array({1}))  // [-1.386]
class Bernoulli : public Distribution {
 public:
  explicit Bernoulli(const Variable& p) : Bernoulli(BernoulliOptions{.p = p}) {}
  explicit Bernoulli(const BernoulliOptions& options);
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
  // The probability of 0, and the logarithms of both, from whichever of p and logit was given: accurate also where the
  // other probability rounds to 1.
  Variable failure() const;
  Variable log_success() const;
  Variable log_failure() const;
  Variable steps(const Variable& x, double below, const Variable& between, double above) const;
  bool binary_check_;
  bool given_logit_ = false;
};

/// Density x^(a-1) (1-x)^(b-1) / B(a, b) on [0, 1]. Samples have no gradient. Needs Boost.Math for the entropy and
/// gradients.
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
  /// Where a and b are above 1; NaN elsewhere.
  Variable mode() const override;
  Variable variance() const override;
  Variable stddev() const override;
};

/// Options of Categorical.
struct CategoricalOptions {
  Variable p = {};      ///< probabilities along the last axis, of sum one; these or logit
  Variable logit = {};  ///< log p plus any constant
};
/// i with probability p[..., i]. Samples are int64, without gradient.
///   distributions::Categorical(array({0.5f, 0.25f, 0.25f})).entropy()  // 1.040
class Categorical : public Distribution {
 public:
  explicit Categorical(const Variable& p) : Categorical(CategoricalOptions{.p = p}) {}
  explicit Categorical(const CategoricalOptions& options);
  Variable p, log_p;
  Shape batch_shape() const override { return Shape(p.shape().begin(), p.shape().end() - 1); }
  std::map<std::string, Variable> params() const override { return {{"p", p}}; }
  std::string support() const override { return "{0, ..., K - 1}"; }
  Variable sample_n(int64_t n) const override;
  /// x are integers; one outside of 0 ... K-1 is an IndexError.
  Variable log_prob(const Variable& x) const override;
  Variable prob(const Variable& x) const override;
  Variable entropy() const override;
  Variable mode() const override;
};

/// Density proportional to the product of x_i^(alpha_i - 1) on vectors of sum one, along the last axis. Samples have no
/// gradient. Needs Boost.Math for the entropy and gradients.
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

/// exp of a normal number with mean mu and deviation sigma.
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
  Variable scale_tril;  ///< (..., d, d), lower triangular: L of the covariance L L^T
};
/// The normal distribution of vectors (..., d) with mean loc.
///   distributions::MultivariateNormal(zeros({2}), {.scale_tril = eye(2)}).log_prob(zeros({2}))  // -1.838
class MultivariateNormal : public Distribution {
 public:
  MultivariateNormal(const Variable& loc, const MultivariateNormalOptions& options);
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

/// Options of Normal, for a scale given as its logarithm.
struct NormalOptions {
  Variable log_scale;
};
/// The normal distribution with mean loc and standard deviation scale.
///   distributions::Normal(array({0.f}), array({1.f})).log_prob(array({0.f}))  // [-0.919]
class Normal : public Distribution {
 public:
  Normal(const Variable& loc, const Variable& scale);
  Normal(const Variable& loc, const NormalOptions& options);
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
/// Equally likely values in [low, high]. Where low is greater than high no value has a probability, the entropy is NaN,
/// and variance and stddev are those of the ends' distance, as in the release.
///   distributions::Uniform({.low = array({1.f}), .high = array({3.f})}).mean()  // [2]
class Uniform : public Distribution {
 public:
  explicit Uniform(const UniformOptions& options);
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
