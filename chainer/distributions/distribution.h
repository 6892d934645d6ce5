// Probability distributions: the interface, and divergences between two of them (manual: "Probability Distributions").
#pragma once
#include <functional>
#include <map>
#include <string>
#include <typeindex>

#include "chainer/autograd/variable.h"

namespace chainer {

/// A distribution, or a batch of them. Its parameters are variables, and what is computed from them has gradients; so
/// have samples, where a sample is a smooth function of the parameters and of noise.
///
/// A sample has shape sample_shape + batch_shape() + event_shape(): independent draws, of independent distributions,
/// of values that depend on each other. Functions of a sample give shape sample_shape + batch_shape().
///
/// What a distribution does not define throws NotImplementedError. A subclass defines at least the shapes, log_prob,
/// sample_n and params.
class Distribution {
 public:
  virtual ~Distribution() = default;
  virtual std::string name() const;
  virtual Shape batch_shape() const = 0;
  virtual Shape event_shape() const { return {}; }
  /// The parameters by name.
  virtual std::map<std::string, Variable> params() const = 0;
  /// Where samples lie, in words: "real", "[0, 1]", ...
  virtual std::string support() const;

  /// Draws of shape (n) + batch_shape() + event_shape(), from the process's generator.
  virtual Variable sample_n(int64_t n) const = 0;
  Variable sample(const Shape& sample_shape = {}) const;

  /// The logarithm of the density (or of the probability) at x.
  virtual Variable log_prob(const Variable& x) const = 0;
  virtual Variable prob(const Variable& x) const;
  /// The probability of values up to x, its logarithm, and its inverse.
  virtual Variable cdf(const Variable& x) const;
  virtual Variable log_cdf(const Variable& x) const;
  virtual Variable icdf(const Variable& x) const;
  /// 1 - cdf(x), and its logarithm.
  virtual Variable survival_function(const Variable& x) const;
  virtual Variable log_survival_function(const Variable& x) const;

  virtual Variable entropy() const;
  /// exp(entropy()): how many equally likely values would be as uncertain. The manual gives it an argument, which has
  /// no influence.
  Variable perplexity(const Variable& x = {}) const;
  virtual Variable mean() const;
  virtual Variable mode() const;
  virtual Variable variance() const;
  virtual Variable stddev() const;
  /// Between the values of an event; the variance where an event is one number.
  virtual Variable covariance() const;

 protected:
  [[noreturn]] void missing(const char* what) const;
};

/// The Kullback-Leibler divergence of dist1 from dist2, the expectation under dist1 of log p1(x) - log p2(x), of shape
/// batch_shape. Pairs of types without a registered formula are a NotImplementedError.
Variable kl_divergence(const Distribution& dist1, const Distribution& dist2);
/// The expectation under dist1 of -log p2(x): dist1's entropy plus the divergence.
Variable cross_entropy(const Distribution& dist1, const Distribution& dist2);

namespace detail {
using KlFunction = std::function<Variable(const Distribution&, const Distribution&)>;
void register_kl(std::type_index dist1, std::type_index dist2, KlFunction f);
}  // namespace detail
/// Makes kl_divergence() use `f(dist1, dist2)` for these two types, in place of what it used before.
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
