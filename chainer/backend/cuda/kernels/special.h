// SPDX-License-Identifier: MIT
// Special functions of double numbers on the device: CUDA's where available, else those below, which the emulated
// device uses, too. They are not inlined, so that the interpreter of all operations needs no registers for them.
#pragma once
#include <math.h>

#include "chainer/backend/cuda/kernels/dialect.h"

#ifdef __CUDACC__
#define SPECIAL static __device__ __noinline__ double
#define OF_CUDA(NAME, CALL) \
  SPECIAL NAME(double x) { return CALL(x); }
#else
#include "chainer/backend/common/special.h"
#define SPECIAL [[maybe_unused]] static double
#define OF_CUDA(NAME, CALL) \
  SPECIAL NAME(double x) { return chainer::special::NAME(x); }
#endif

namespace chainer::cuda::special {

OF_CUDA(erfcinv, ::erfcinv)
OF_CUDA(erfcx, ::erfcx)
OF_CUDA(erfinv, ::erfinv)
OF_CUDA(lgamma, ::lgamma)
OF_CUDA(ndtr, ::normcdf)
OF_CUDA(ndtri, ::normcdfinv)
#undef OF_CUDA

SPECIAL log_ndtr(double x) {
  if (x < -1) return ::log(0.5 * erfcx(-x * 0.70710678118654752440)) - 0.5 * x * x;
  return ::log1p(-0.5 * ::erfc(x * 0.70710678118654752440));
}

// Below 10 by the recurrence, above by the asymptotic series; for x < 0 by reflection.
SPECIAL digamma(double x) {
  const double pi = 3.14159265358979323846, infinity = 1e308 * 10;
  double result = 0;
  if (x <= 0) {
    if (x == ::floor(x)) return x == 0 ? ::copysign(infinity, -x) : infinity - infinity;
    result = -pi / ::tan(pi * (x - ::floor(x)));
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r * (5. / 660 - r * (691. / 32760 - r / 12))))));
  return result + ::log(x) - 0.5 / x - series;
}

// (-1)^(n+1) n! zeta(n + 1, x), by the Euler-Maclaurin formula from 12 on.
SPECIAL polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  const double infinity = 1e308 * 10;
  if (n != ::floor(n) || n < 0 || x != x) return infinity - infinity;
  if (n == 1 && x < 0) {  // by reflection
    const double pi = 3.14159265358979323846, sine = ::sin(pi * (x - ::floor(x)));
    return sine == 0 ? infinity : (pi / sine) * (pi / sine) - polygamma(1, 1 - x);
  }
  if (x < -1e5) return infinity - infinity;
  const double s = n + 1;
  double sum = 0;
  for (; x < 12; x += 1) sum += ::pow(x, -s);
  const double b[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6};
  double term = s * ::pow(x, -s - 1) / 2;
  sum += ::pow(x, 1 - s) / (s - 1) + 0.5 * ::pow(x, -s);
  for (int k = 0; k < 7; ++k) {
    sum += b[k] * term;
    const double i = 2 * k + 1;
    term *= (s + i) * (s + i + 1) / ((i + 2) * (i + 3)) / (x * x);
  }
  return (static_cast<long long>(n) % 2 ? 1 : -1) * ::exp(lgamma(s)) * sum;
}
SPECIAL trigamma(double x) { return polygamma(1, x); }
#undef SPECIAL

}  // namespace chainer::cuda::special
