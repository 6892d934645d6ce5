// SPDX-License-Identifier: MIT
// Compares the table of functions on a device with the host.
#pragma once
#include <chainer/array/host.h>

#include "rows/table.h"
#include "test.h"

namespace device_table {

using namespace chainer;

inline Variables on_device(const Arrays& in, Dtype dtype, const Device& device) {
  Variables out;
  for (const Array& a : in) {
    const bool floating = is_floating(a.dtype());
    out.push_back(Variable((floating ? a.astype(dtype) : a).to_device(device), floating));
  }
  return out;
}

// Returns results, gradients for random output gradients, and gradients of their sums, concatenated and moved to the
// host.
inline Arrays outcome(const testing::OpCase& c, Dtype dtype, const Device& device) {
  random::seed(1);
  Arrays out;
  const auto keep = [&](const Variable& v) {
    if (v && v.device() != device && c.name != "copy")
      throw RuntimeError("a result on ", v.device(), " of inputs on ", device);
    out.push_back(v ? to_host(v.array()) : Array());
  };
  const Variables xs = on_device(c.inputs, dtype, device), ys = F::identity(c.function(xs));
  for (const Variable& y : ys) keep(y);
  if (!c.differentiable) return out;
  random::RandomState r(3);
  Variables gy, sources;
  for (const Variable& y : ys) gy.push_back(Variable(r.randn(y.shape()).astype(y.dtype()).to_device(device)));
  for (const Variable& x : xs)
    if (x.requires_grad()) sources.push_back(x);
  for (const Variable& g : grad(ys, sources, {.grad_outputs = gy})) keep(g);
  const Variables gx = grad(ys, sources, {.grad_outputs = gy, .enable_double_backprop = true});
  for (const Variable& g : gx) keep(g);
  if (!c.twice) return out;
  Variable total;
  for (const Variable& g : gx) {
    if (!g) continue;
    const Variable term = F::sum(F::cast(g, float64) * Variable(r.randn(g.shape()).to_device(device)));
    total = total ? total + term : term;
  }
  for (const Variable& y : gy) sources.push_back(y);
  if (total && total.requires_grad())
    for (const Variable& g : grad({total}, sources)) keep(g);
  return out;
}

/// True for functions that draw other numbers on devices than on the host (functions/noise/draws.h), of which only
/// shapes and dtypes are compared.
inline bool draws(const std::string& name) { return name == "gumbel_softmax" || name == "zoneout"; }

/// Runs all rows in two dtypes on both devices and compares the results; returns the number of rows that agree.
inline int rows_on(const Device& device) {
  int rows = 0;
  for (const testing::OpCase& c : table::rows()) {
    for (Dtype dtype : {float64, float32}) {
      try {
        const Arrays here = outcome(c, dtype, Device()), there = outcome(c, dtype, device);
        if (here.size() != there.size()) throw RuntimeError(there.size(), " results instead of ", here.size());
        const double tolerance = dtype == float64 ? 1e-9 : 50 * c.tolerance;
        for (std::size_t i = 0; i < here.size(); ++i) {
          if (static_cast<bool>(here[i]) != static_cast<bool>(there[i]))
            throw RuntimeError("result ", i, " is ", here[i] ? "missing" : "there");
          if (!here[i]) continue;
          if (here[i].shape() != there[i].shape() || here[i].dtype() != there[i].dtype())
            throw RuntimeError("result ", i, " has another shape or dtype");
          if (!draws(c.name)) testing::assert_allclose(there[i], here[i], {.atol = tolerance, .rtol = tolerance});
        }
        ++rows;
      } catch (const MissingPartError&) {  // reported by the harness
      } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, text(c.python, " ", dtype, ": ", e.what())); }
    }
  }
  return rows;
}

}  // namespace device_table
