// SPDX-License-Identifier: MIT
// Elementwise functions of one number. A row here is all that the tests, the comparison with the release and the
// benchmarks (benchmarks/functions) need of such a function.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace table {

struct UnaryOptions {
  /// False for a function that release 5.4.0 lacks: it is compared with `formula` alone.
  bool in_release = true;
  /// What PyTorch calls it ("torch.sinh", "F.elu" or a function of benchmarks/peers/functions_torch.py); empty where
  /// benchmarks/functions/rows has a row for the function.
  std::string torch = "";
  /// The range of the benchmark's numbers.
  std::pair<double, double> timed = {-2, 2};
  /// False for steps, whose gradient is none or zero.
  bool differentiable = true;
};
struct Unary {
  std::string name;
  std::function<chainer::Variable(const chainer::Variable&)> function;
  double low, high;  ///< the range of the tests' numbers
  /// On a number, in float64; nullptr where special_test.cpp compares with an independent source.
  double (*formula)(double);
  UnaryOptions options = {};
};

/// In the order of their names.
const std::vector<Unary>& unary_functions();

}  // namespace table
