// SPDX-License-Identifier: MIT
#include "chainer/backend/common/special.h"

#include <cmath>
#include <numbers>

namespace chainer::special {
namespace {

// exp(x^2) without the rounding error of x^2, which the exponential would amplify.
double exp_square(double x) {
  const double high = x * x, low = std::fma(x, x, -high);
  return std::exp(high) * (1 + low);
}

}  // namespace

double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global variable shared by all threads
}

double erfcx(double x) {
  if (x < 0) return x < -27 ? kInf : 2 * exp_square(x) - erfcx(-x);
  if (x < 10) return exp_square(x) * std::erfc(x);
  // The asymptotic series 1 - 1/(2x^2) + 1*3/(2x^2)^2 - ..., whose terms fall below 1e-17 before they grow.
  const double u = 1 / (2 * x * x);
  double term = 1, sum = 1;
  for (int k = 1; k < 40 && std::abs(term) > 1e-17; ++k) {
    term *= -(2 * k - 1) * u;
    sum += term;
  }
  return sum / (x * std::sqrt(std::numbers::pi));
}

double ndtr(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

double log_ndtr(double x) {
  const double t = x / std::numbers::sqrt2;
  if (x < -1) return std::log(erfcx(-t) / 2) - x * x / 2;
  return std::log1p(-std::erfc(t) / 2);
}

double trigamma(double x) { return polygamma(1, x); }

double ndtri(double x) { return -std::numbers::sqrt2 * erfcinv(2 * x); }

}  // namespace chainer::special
