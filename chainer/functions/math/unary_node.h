// SPDX-License-Identifier: MIT
// Base of elementwise functions of one argument: the type check and the kernel.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

/// The array that backward reads: retained_input(0) or retained_output(0).
enum class Keep : bool { input, output };

/// Returns true for functions that amplify rounding errors or soon leave the range of 16 bits.
constexpr bool computes_wide(Elementwise op) {
  using enum Elementwise;
  for (const Elementwise one : {exp,    expm1,  log,    log1p,   log2,  log10,  rsqrt,   sinh,     cosh,     tan,
                                arcsin, arccos, erfinv, erfcinv, ndtri, lgamma, digamma, softplus, log_ndtr, erfcx})
    if (op == one) return true;
  return false;
}

/// Computes y = op(x) for floating x. A subclass adds the label and backward.
template <Elementwise op, Keep kept = Keep::input>
struct UnaryNode : FunctionNode {
  bool keeps_inputs() const override { return false; }
  MixedPrecision mixed_precision() const override {
    return computes_wide(op) ? MixedPrecision::wide : MixedPrecision::widest;
  }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    if constexpr (kept == Keep::output)
      retain_outputs({0});
    else
      retain_inputs({0});
    return {unary(op, x[0])};
  }
};

}  // namespace chainer::functions
