// SPDX-License-Identifier: MIT
// Special functions of one number in double precision, with an error of at most 1e-12 max(1, |value|) over their whole
// range. As in SciPy, they return NaN outside of their domains, and infinity at poles and on overflow.
#pragma once
#include <limits>
#include <string_view>

namespace chainer::special {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

double digamma(double x);
double erfcinv(double x);
double erfcx(double x);
double erfinv(double x);
double lgamma(double x);
double log_ndtr(double x);
double ndtr(double x);
double ndtri(double x);
double trigamma(double x);
/// Returns the n-th derivative of digamma, for n = 0, 1, ...
double polygamma(double n, double x);

/// Throws MissingPartError if this build lacks a dependency of the named function (Boost.Math).
void expect_available(std::string_view name);

}  // namespace chainer::special
