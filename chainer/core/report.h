// SPDX-License-Identifier: MIT
// Reporting of exceptions in destructors, which must not throw.
#pragma once
#include <cstdio>
#include <exception>

namespace chainer {

/// Calls f. Prints an exception on standard error as "Exception in WHERE: ..." and does not propagate it.
template <class F>
void report_exceptions(const char* where, F&& f) noexcept {
  try {
    f();
  } catch (const std::exception& e) { std::fprintf(stderr, "Exception in %s: %s\n", where, e.what()); } catch (...) {
    std::fprintf(stderr, "Exception in %s: no std::exception\n", where);
  }
}

}  // namespace chainer
