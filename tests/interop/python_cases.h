// SPDX-License-Identifier: MIT
// Shared by the programs that print random cases as lines of Python.
#pragma once
#include <chainer/chainer.h>

#include <cmath>
#include <optional>
#include <string>

namespace python_cases {

/// An array, and its expression in Python.
struct Term {
  chainer::Array value;
  std::string python;
};

template <class List>
std::string tuple(const List& numbers) {
  std::string out = "(";
  for (int64_t n : numbers) out += chainer::text(n, ",");
  return out + ")";
}
inline std::string optional(const std::optional<int64_t>& n) { return n ? chainer::text(*n) : "None"; }
inline std::string truth(bool b) { return b ? "True" : "False"; }
inline std::string number(double v) {
  return std::isnan(v) ? "nan" : std::isinf(v) ? v > 0 ? "inf" : "-inf" : chainer::text(v);
}
inline std::string list(const chainer::Array& a) {
  std::string out = "[";
  if (chainer::is_floating(a.dtype()))
    for (double v : a.astype(chainer::float64).to_vector<double>()) out += number(v) + ",";
  else
    for (int64_t v : a.astype(chainer::int64).to_vector<int64_t>()) out += chainer::text(v, ",");
  return out + "]";
}

class Draws {
 public:
  explicit Draws(uint32_t seed) : random_(seed) {}

 protected:
  /// Draws one of 0 ... n - 1.
  int draw(int n) { return static_cast<int>(random_.next_interval(static_cast<uint64_t>(n - 1))); }
  bool once_in(int n) { return draw(n) == 0; }
  chainer::random::RandomState random_;
};

}  // namespace python_cases
