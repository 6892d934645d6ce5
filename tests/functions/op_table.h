// The table of functions that the harness runs: a row is a name, the function, its inputs and what it must compute.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chainer/autograd/variable.h"

namespace table {

struct Row {
  std::string name;
  std::function<chainer::Variables(const chainer::Variables&)> function;
  chainer::Arrays inputs;                                            ///< in float64, or integers
  std::function<chainer::Arrays(const chainer::Arrays&)> reference;  ///< plain loops, in float64
  bool second_order = true;
  double half_tolerance = 2e-2;
};

std::vector<Row> rows();

}  // namespace table
