// SPDX-License-Identifier: MIT
// The special functions provided by Boost.Math.
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <cmath>
#include <limits>

#include "chainer/backend/common/special.h"

namespace chainer::special {
namespace {

using namespace boost::math::policies;
using Quiet = policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>,
                     evaluation_error<ignore_error>, promote_double<false>>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// (-1)^(n + 1) n! times the sum over k of (x + k)^-s, with s = n + 1: the terms up to 16, then the integral of the
// others with the corrections of the Euler-Maclaurin formula, B_2j / (2j)! times s (s + 1) ... (s + 2j - 2) / a^(2j -
// 1).
double polygamma_of_few(double n, double x) {
  constexpr double kBernoulli[] = {1. / 12,          -1. / 720,
                                   1. / 30240,       -1. / 1209600,
                                   1. / 47900160,    -691. / 1307674368000,
                                   1. / 74724249600, -3617. / 10670622842880000};
  const int s = static_cast<int>(n) + 1;
  const auto power = [](double a, int exponent) {
    const double inverse = 1 / a;
    double p = inverse;
    for (int i = 1; i < exponent; ++i) p *= inverse;
    return p;
  };
  double sum = 0, a = x, factorial = 1;
  for (; a < 16; a += 1) sum += power(a, s);
  for (int i = 2; i < s; ++i) factorial *= i;
  double corrections = 0.5, term = s / a;
  for (int j = 0; j < 8; ++j) {
    corrections += kBernoulli[j] * term;
    term *= (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a);
  }
  const double value = factorial * (sum + power(a, s - 1) * (1 / n + corrections / a));
  return s % 2 == 0 ? value : -value;
}

}  // namespace

void expect_available(std::string_view) {}

double digamma(double x) {
  if (x == 0) return -std::copysign(kInf, x);
  if (!std::isfinite(x)) return x > 0 ? kInf : kNan;
  return boost::math::digamma(x, Quiet());
}

double erfcinv(double x) { return x != x ? x : boost::math::erfc_inv(x, Quiet()); }

double erfinv(double x) { return x != x ? x : boost::math::erf_inv(x, Quiet()); }

double polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n) || n > 1e6) return kNan;
  if (n == 0) return digamma(x);
  if (!std::isfinite(x)) return x > 0 ? 0 : kNan;
  if (x <= 0 && x == std::floor(x)) return kInf;
  if (x > 0 && n <= 8) return polygamma_of_few(n, x);
  const double y = boost::math::polygamma(static_cast<int>(n), x, Quiet());
  // On overflow the sign is lost; it is that of -(-x)^-(n + 1).
  return std::isinf(y) ? (x > 0 && std::fmod(n, 2) == 0 ? -kInf : kInf) : y;
}

}  // namespace chainer::special
