// Special functions of one number in double precision, to 1e-12 max(1, |value|) over their whole range. Outside their
// domains they give NaN, at poles and beyond the largest number infinity, as SciPy's do.
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
/// The n-th derivative of digamma, for n = 0, 1, ...
double polygamma(double n, double x);

/// Throws MissingPartError where this build lacks what the named function needs (Boost.Math).
void expect_available(std::string_view name);

}  // namespace chainer::special
