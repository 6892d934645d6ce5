// SPDX-License-Identifier: MIT
// Probability distributions: the interface, and divergences between distributions (manual: "Probability
// Distributions").
#pragma once
#include <functional>
#include <map>
#include <string>
#include <typeindex>

#include "chainer/autograd/variable.h"

namespace chainer {

/// A distribution, or a batch of distributions. The parameters are variables, and results have gradients with respect
/// to the parameters; so have samples if a sample is a smooth function of the parameters and of noise.
///
/// A sample has shape sample_shape + batch_shape() + event_shape(): independent draws, of independent distributions,
/// of values that depend on each other. Functions of a sample return shape sample_shape + batch_shape().
///
/// Functions that a distribution does not define throw NotImplementedError. A subclass defines at least the shapes,
/// log_prob(), sample_n() and params(). Constructors throw ValueError for a missing parameter, TypeError unless all
/// parameters have one floating dtype, DimensionError if they do not broadcast.
class Distribution {
 public:
  virtual ~Distribution() = default;
  virtual std::string name() const;
  virtual Shape batch_shape() const = 0;
  virtual Shape event_shape() const { return {}; }
  /// Returns the parameters by name.
  virtual std::map<std::string, Variable> params() const = 0;
  /// Returns a description of the set of values: "real", "[0, 1]", ...
  virtual std::string support() const;

  /// Draws samples of shape (n) + batch_shape() + event_shape() from random::global().
  virtual Variable sample_n(int64_t n) const = 0;
  Variable sample(const Shape& sample_shape = {}) const;

  /// Returns the logarithm of the density (or of the probability) at x; prob() returns the density itself.
  virtual Variable log_prob(const Variable& x) const = 0;
  virtual Variable prob(const Variable& x) const;
  /// Return the probability of values up to x, its logarithm, and its inverse function.
  virtual Variable cdf(const Variable& x) const;
  virtual Variable log_cdf(const Variable& x) const;
  virtual Variable icdf(const Variable& x) const;
  /// Return 1 - cdf(x), and its logarithm.
  virtual Variable survival_function(const Variable& x) const;
  virtual Variable log_survival_function(const Variable& x) const;

  virtual Variable entropy() const;
  /// Returns exp(entropy()): the number of equally likely values with the same entropy. The argument, which is in the
  /// manual, has no effect.
  Variable perplexity(const Variable& x = {}) const;
  virtual Variable mean() const;
  virtual Variable mode() const;
  virtual Variable variance() const;
  virtual Variable stddev() const;
  /// Returns the covariance of the values of an event; the variance if an event is one number.
  virtual Variable covariance() const;

 protected:
  [[noreturn]] void missing(const char* what) const;
};

/// Computes the Kullback-Leibler divergence of dist1 from dist2, the expectation under dist1 of log p1(x) - log p2(x),
/// of shape batch_shape. Throws NotImplementedError for pairs of types without a registered formula.
Variable kl_divergence(const Distribution& dist1, const Distribution& dist2);
/// Computes the expectation under dist1 of -log p2(x): the entropy of dist1 plus kl_divergence(), with its shape and
/// exceptions.
Variable cross_entropy(const Distribution& dist1, const Distribution& dist2);

namespace detail {
using KlFunction = std::function<Variable(const Distribution&, const Distribution&)>;
void register_kl(std::type_index dist1, std::type_index dist2, KlFunction f);
}  // namespace detail
/// Registers `f(dist1, dist2)` as the formula of kl_divergence() for two types, replacing an earlier one.
///   register_kl<D::Laplace, D::Normal>([](const D::Laplace& p, const D::Normal& q) {
///     const Variable squared_distance = F::square(p.loc - q.loc) + p.variance();
///     return q.log_scale + 0.918939 + squared_distance / (2 * q.variance()) - p.entropy();
///   });
template <class Dist1, class Dist2, class Formula>
void register_kl(Formula f) {
  detail::register_kl(typeid(Dist1), typeid(Dist2), [f](const Distribution& p, const Distribution& q) -> Variable {
    return f(static_cast<const Dist1&>(p), static_cast<const Dist2&>(q));
  });
}

}  // namespace chainer
