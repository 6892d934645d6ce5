// SPDX-License-Identifier: MIT
// Base of elementwise functions of one argument: the type check and the kernel.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

/// The array that backward reads: retained_input(0) or retained_output(0).
enum class Keep : bool { input, output };

/// Computes y = op(x) for floating x. A subclass adds the label and backward.
template <Elementwise op, Keep kept = Keep::input>
struct UnaryNode : FunctionNode {
  bool keeps_inputs() const override { return false; }
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
