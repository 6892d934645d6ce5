// SPDX-License-Identifier: MIT
// The functions of one number that sweep_test.cpp compares with conformance/sweep.npz.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <string>
#include <vector>

namespace sweep {

using namespace chainer;

/// A function of one number, applied to each element of x (N).
struct Case {
  std::string name;  ///< as in conformance/make_sweep.py
  std::function<Variable(const Variable& x)> function;
};

/// A constant for each element of x.
inline Variable constant(double value, const Variable& x) {
  return Variable(full_like(x.array(), value).astype(x.dtype()), false);
}

void add_functions(std::vector<Case>& cases);
void add_losses_and_layers(std::vector<Case>& cases);
void add_distributions(std::vector<Case>& cases);

/// (N, 2) and more: columns side by side.
inline Variable columns(const Variables& parts) {
  Variables out;
  for (const Variable& v : parts) out.push_back(F::expand_dims(v, 1));
  return F::concat(out, 1);
}
inline Variable column(const Variable& x, int64_t i) { return x[{Slice(), i}]; }

}  // namespace sweep
