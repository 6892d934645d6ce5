// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

#include "chainer/array/dtype.h"

namespace chainer {

/// Returns the largest number of a floating dtype below b. Draws from the half-open interval [a, b) are limited by it,
/// because rounding could produce b.
inline double largest_below(double b, Dtype d) {
  if (d == Dtype::float64 || b == 0) return std::nextafter(b, -HUGE_VAL);
  const int digits = d == Dtype::float32 ? 24 : d == Dtype::float16 ? 11 : 8;
  int exponent = 0;
  (void)std::frexp(b, &exponent);
  const double step = std::ldexp(1.0, exponent - digits);
  return (std::ceil(b / step) - 1) * step;
}

}  // namespace chainer
