// SPDX-License-Identifier: MIT
// Shared by the distributions: checks of parameters, constants, and formulas of the divergences.
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
/// Broadcasts parameters to one shape, in mixed precision in float32. Throws ValueError if one is missing, TypeError
/// unless all have one floating dtype, DimensionError if they do not broadcast.
void prepare(std::string_view distribution, std::initializer_list<Parameter> parameters);
/// Returns (n) + shape.
Shape with_samples(int64_t n, const Shape& shape);
/// Returns a number as a variable of shape (), with the dtype and device of `like`.
Variable constant(double value, const Variable& like);
/// Moves random numbers, which are drawn on the host, to the device of `like`.
Variable drawn(const Array& numbers, const Variable& like);
/// Computes x log(x), and 0 for 0.
Variable xlogx(const Variable& x);
/// Compute log(x) and log1p(x); at the pole the gradient is 0 if the incoming gradient is 0.
Variable guarded_log(const Variable& x);
Variable guarded_log1p(const Variable& x);
/// Computes weight * logarithm, with 0 * -inf = 0: an impossible value of weight 0 adds nothing, and no gradient
/// arrives where none came in.
Variable weighted(const Variable& weight, const Variable& logarithm);
/// Computes weight * (a - b), which is 0 where weight is 0, whatever the logarithms a and b.
Variable weighted_difference(const Variable& weight, const Variable& a, const Variable& b);
/// Computes exp(x), with gradient 0 where the result is 0, whatever the incoming gradient: in the tails a density
/// vanishes faster than the slopes of its logarithm grow, which may be infinite in their dtype. The gradient is also 0
/// where exp(x) is infinite and the incoming gradient is 0.
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
