// For destructors, which let no exception out.
#pragma once
#include <cstdio>
#include <exception>

namespace chainer {

/// Calls f; an exception is reported on standard error as "Exception in WHERE: ..." and ends there.
template <class F>
void report_exceptions(const char* where, F&& f) noexcept {
  try {
    f();
  } catch (const std::exception& e) { std::fprintf(stderr, "Exception in %s: %s\n", where, e.what()); } catch (...) {
    std::fprintf(stderr, "Exception in %s: no std::exception\n", where);
  }
}

}  // namespace chainer
