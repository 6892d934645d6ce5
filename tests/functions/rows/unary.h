// SPDX-License-Identifier: MIT
// Elementwise functions of one number. A row contains everything that the tests, the comparison with the release and
// the benchmarks (benchmarks/functions) need for a function.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace table {

struct UnaryOptions {
  /// False for a function that release 5.4.0 lacks: it is compared with `formula` only.
  bool in_release = true;
  /// PyTorch's expression ("torch.sinh", "F.elu" or a function of benchmarks/peers/functions_torch.py); empty if
  /// benchmarks/functions/rows has a row for the function.
  std::string torch = "";
  /// The range of the numbers in benchmarks.
  std::pair<double, double> timed = {-2, 2};
  /// False for step functions, whose gradient is zero or missing.
  bool differentiable = true;
};
struct Unary {
  std::string name;
  std::function<chainer::Variable(const chainer::Variable&)> function;
  double low, high;  ///< the range of arguments in tests
  /// The formula in float64; nullptr if special_test.cpp compares with an independent source.
  double (*formula)(double);
  UnaryOptions options = {};
};

/// Sorted by name.
const std::vector<Unary>& unary_functions();

}  // namespace table
