// What the distributions share: their parameters' checks, constants, and formulas of the divergences.
#pragma once
#include <limits>

#include "chainer/distributions/distributions.h"

namespace chainer::distributions {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// A named parameter.
struct Parameter {
  const char* name;
  Variable* value;
};
/// Checks that parameters are there and have one floating dtype, and broadcasts them to one shape.
void prepare(std::string_view distribution, std::initializer_list<Parameter> parameters);
/// (n) + shape
Shape with_samples(int64_t n, const Shape& shape);
/// A number as a variable without axes.
Variable constant(double value, const Variable& like);
/// Random numbers, drawn on the host, on the device of `like`.
Variable drawn(const Array& numbers, const Variable& like);
/// x log(x), and 0 for 0.
Variable xlogx(const Variable& x);
/// exp(x), whose gradient is 0 where it is 0, whatever arrives: far out a density vanishes faster than its logarithm's
/// slopes, which may be infinite in their dtype, grow. It is also 0 where exp(x) is infinite and no gradient arrives.
Variable vanishing_exp(const Variable& x);
/// log(2 pi) / 2
inline constexpr double kHalfLog2Pi = 0.91893853320467274178;

Variable kl(const Bernoulli& p, const Bernoulli& q);
Variable kl(const Beta& p, const Beta& q);
Variable kl(const Categorical& p, const Categorical& q);
Variable kl(const Dirichlet& p, const Dirichlet& q);
Variable kl(const Laplace& p, const Laplace& q);
Variable kl(const LogNormal& p, const LogNormal& q);
Variable kl(const MultivariateNormal& p, const MultivariateNormal& q);
Variable kl(const Normal& p, const Normal& q);
Variable kl(const Uniform& p, const Uniform& q);

}  // namespace chainer::distributions
