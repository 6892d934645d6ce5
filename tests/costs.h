// SPDX-License-Identifier: MIT
// Measures how the cost of an operation grows with its size, in time of this thread.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include "chainer/core/sanitizer.h"
#include "test.h"

namespace costs {

/// Prepares an operation of size n, untimed, and returns the function to time.
using Prepare = std::function<std::function<void()>(int n)>;

/// Returns seconds of this thread: the minimum of some runs, which is least affected by other programs.
inline double seconds(const Prepare& prepare, int n) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::function<void()> run = prepare(n);
    const double begin = now();
    run();
    least = std::min(least, now() - begin);
  }
  return least;
}

/// Expects that the cost grows at most like n log n, not like n^2: the exponent from n to 8n must be below 1.7. Repeats
/// the measurement if it is exceeded, since a busy machine may disturb one. CHAINER_TEST_TABLES prints the exponents.
/// Sanitized builds are not checked, since their bookkeeping has costs of its own.
inline void expect_linear(const std::string& name, int n, const Prepare& prepare) {
  constexpr double kMost = 1.7;
  if (chainer::kSanitized) return;
  double p = 1e9, time = 0;
  for (int attempt = 0; attempt < 8 && p >= kMost; ++attempt) {
    const double before = seconds(prepare, n);
    time = seconds(prepare, 8 * n);
    p = std::min(p, std::log2(std::max(time, 1e-7) / std::max(before, 1e-7)) / 3);
  }
  if (std::getenv("CHAINER_TEST_TABLES"))
    std::printf("  %-52s n^%.2f, %8.3f ms at n = %d\n", name.c_str(), p, 1e3 * time, 8 * n);
  ++test::expectations;
  if (p >= kMost) test::fail(name.c_str(), 0, chainer::text("the cost grows with the power ", p, " of the size"));
}

}  // namespace costs
