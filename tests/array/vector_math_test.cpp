// SPDX-License-Identifier: MIT
// Vectorized functions for C libraries that lack them, compared with the C library in a wider type.
#include "chainer/backend/common/vector_math.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "chainer/core/parallel.h"
#include "test.h"

namespace {

// The distance of a result from the exact value, in units of its last place.
template <class T>
double units(T got, long double wanted) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) == std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(got)) {
    const bool nearly = std::abs(got) == Limits::max() || std::abs(rounded) == Limits::max();
    return got == rounded || nearly ? 0 : HUGE_VAL;
  }
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : HUGE_VAL;
  int exponent;
  (void)std::frexp(rounded, &exponent);
  const int last = std::max(exponent, Limits::min_exponent) - Limits::digits;
  return static_cast<double>(std::abs(got - wanted) / std::ldexp(1.0L, last));
}

template <class T, class F, class G>
void compare(const char* name, F&& f, G&& wanted, double least, double most, double allowed) {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> even(least, most), power(Limits::min_exponent, std::log2(most));
  std::vector<T> all{T(0),  -T(0), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),  Limits::min(),
                     T(1),  T(-1), Limits::max(),      -Limits::max(),      Limits::denorm_min(), T(-0.5),
                     T(10), T(100)};
  for (int i = 0; i < 20000; ++i) {
    all.push_back(static_cast<T>(even(random)));
    const T small = static_cast<T>(std::exp2(power(random)));
    all.push_back(least < 0 && random() % 2 && small < -least ? -small : small);
  }
  double worst = 0;
  T at = 0;
  for (const T x : all)
    if (const double u = units(f(x), wanted(static_cast<long double>(x))); u > worst) worst = u, at = x;
  if (!(worst <= allowed))
    test::fail(__FILE__, __LINE__, chainer::text(name, "(", at, ") is ", worst, " units of the last place away"));
  ++test::expectations;
}

}  // namespace

#define COMPARE(NAME, LEAST, MOST, LEAST_F, MOST_F, ALLOWED)        \
  do {                                                              \
    const auto f = [](auto x) { return vector_math::NAME(x); };     \
    const auto wanted = [](long double x) { return std::NAME(x); }; \
    compare<double>(#NAME, f, wanted, LEAST, MOST, ALLOWED);        \
    compare<float>(#NAME, f, wanted, LEAST_F, MOST_F, ALLOWED);     \
  } while (false)

TEST(functions_that_make_vectors_are_exact_to_a_few_units) {
  // An earlier test may have used functions, whose threads flush denormals.
  const bool before = chainer::cpu::denormals_flushed();
  chainer::cpu::flush_denormals(false);
  COMPARE(exp, -750, 711, -105, 90, 1);
  COMPARE(expm1, -60, 711, -30, 90, 2.5);
  COMPARE(tanh, -22, 22, -11, 11, 2.5);
  COMPARE(sinh, -712, 712, -91, 91, 2.5);
  COMPARE(cosh, -712, 712, -91, 91, 2.5);
  COMPARE(log, 0, 100, 0, 100, 1);
  COMPARE(log2, 0, 4, 0, 4, 2.5);
  COMPARE(log10, 0, 20, 0, 20, 2.5);
  COMPARE(log1p, -1, 10, -1, 10, 1);
  const auto f = [](float x) { return vector_math::erf(x); };
  compare<float>(
      "erf", f, [](long double x) { return std::erf(x); }, -5, 5, 2.5);
  chainer::cpu::flush_denormals(before);
}
