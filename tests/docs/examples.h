// SPDX-License-Identifier: MIT
// What the examples of the headers' comments are checked with: the value of an expression against the text behind it.
#pragma once
#include <chainer/chainer.h>
#include <chainer/array/multiply_adds.h>
#include <chainer/links/parameter_hooks.h>
#include <chainer/models/bert.h>
#include <chainer/models/generate.h>
#include <chainer/testing/testing.h>
#include <chainer/training/mock_updater.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "test.h"

using namespace chainer;

namespace examples {

/// The numbers in a text, in order: those of "[[1, 2]]" or "{[1], [2]}".
inline std::vector<double> numbers(const std::string& text) {
  std::vector<double> out;
  for (const char* p = text.c_str(); *p;) {
    char* end = nullptr;
    const bool start = std::isdigit(static_cast<unsigned char>(*p)) || *p == '-' || *p == '.' ||
                       std::string_view(p).starts_with("nan");
    const double v = start ? std::strtod(p, &end) : 0;
    if (start && end != p)
      out.push_back(v), p = end;
    else
      ++p;
  }
  return out;
}

inline void collect(const Array& a, std::vector<double>& values) {
  for (double v : a.to_vector<double>()) values.push_back(v);
}
inline void collect(const Variable& v, std::vector<double>& values) { collect(v.array(), values); }
template <class T, std::size_t N>
void collect(const SmallVector<T, N>& list, std::vector<double>& values) {
  for (const T& x : list) collect(x, values);
}

/// "shape (2, 3)" is compared with the shape, else all numbers with all elements, to the digits given.
template <class T>
void compare(const T& value, const std::string& expected, const char* file, int line) {
  if constexpr (requires { value.shape(); }) {
    if (expected.starts_with("shape "))
      return test::equal(text("shape ", value.shape()), expected, "shape", file, line);
  }
  std::vector<double> seen;
  const std::vector<double> wanted = numbers(expected);
  if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
    seen.push_back(static_cast<double>(value));
  else
    collect(value, seen);
  bool same = seen.size() == wanted.size();
  for (std::size_t i = 0; same && i < seen.size(); ++i)
    same = std::isnan(wanted[i]) ? std::isnan(seen[i])
                                 : std::abs(seen[i] - wanted[i]) <= 6e-4 * std::max(1.0, std::abs(wanted[i]));
  std::string got;
  for (double v : seen) got += text(got.empty() ? "" : ", ", v);
  if (!same) test::fail(file, line, text("the example gives ", got, ", its comment says ", expected));
}

/// What a build without an optional library says.
inline void left_out(const MissingPartError& e) { std::fprintf(stderr, "left out: %s\n", e.what()); }

/// Runs f and compares its value, if any is expected.
template <class F>
void check(F&& f, const std::string& expected, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  ++test::expectations;  // that it runs, at least
  const auto value = [&]() -> std::optional<std::invoke_result_t<F>> {
    try {
      return f();
    } catch (const MissingPartError& e) {
      left_out(e);
      return std::nullopt;
    }
  }();
  if (value && !expected.empty()) compare(*value, expected, file, line);
}

}  // namespace examples
