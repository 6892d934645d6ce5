// How the cost of something grows with its size: a table of exponents, measured in time of this thread.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

#include "test.h"

namespace costs {

/// Prepares something of size n, untimed, and gives back what is timed.
using Prepare = std::function<std::function<void()>(int n)>;

/// Seconds of this thread; the least of some runs, which whatever else runs on the machine disturbs least.
inline double seconds(const Prepare& prepare, int n) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  double least = 1e9;
  for (int i = 0; i < 4; ++i) {
    const std::function<void()> run = prepare(n);
    const double begin = now();
    run();
    least = std::min(least, now() - begin);
  }
  return least;
}

/// The exponent p of a cost that grows as n^p, from n, 2n and 4n: differences, so that constant parts cancel.
inline double exponent(const Prepare& prepare, int n, double* at_4n) {
  const double c1 = seconds(prepare, n), c2 = seconds(prepare, 2 * n), c4 = seconds(prepare, 4 * n);
  *at_4n = c4;
  return std::log2(std::max(c4 - c2, 1e-9) / std::max(c2 - c1, 1e-9));
}

/// Expects that the cost grows with n, perhaps with n log n, and not with n^2. What looks otherwise is measured again,
/// twice at each of three sizes: a machine that is busy and caches that are left show too much now and then, a square
/// shows it each time.
inline void expect_linear(const char* name, int n, const Prepare& prepare) {
  constexpr double kMost = 1.7;
  double p = 0, time = 0;
  for (int attempt = 0; attempt < 6; ++attempt) {
    if (attempt == 2 || attempt == 4) n *= 2;
    p = exponent(prepare, n, &time);
    if (p < kMost) break;
  }
  std::printf("  %-44s n^%.2f, %8.3f ms at n = %d\n", name, p, 1e3 * time, 4 * n);
  ++test::expectations;
  if (p >= kMost) test::fail(name, 0, chainer::text("the cost grows with the power ", p, " of the size"));
}

}  // namespace costs
