// What elementwise functions of one argument share: the type check and the kernel.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

/// y = op(x) on floating x. A subclass adds the label and backward.
template <Elementwise op>
struct UnaryNode : FunctionNode {
  bool keeps_inputs() const override { return false; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    if constexpr (keeps_output)
      retain_outputs({0});
    else
      retain_inputs({0});
    return {unary(op, x[0])};
  }
  /// Functions whose gradient is simplest in terms of the result keep that.
  static constexpr bool keeps_output =
      op == Elementwise::exp || op == Elementwise::sqrt || op == Elementwise::tanh || op == Elementwise::sigmoid ||
      op == Elementwise::relu || op == Elementwise::erfinv || op == Elementwise::erfcinv || op == Elementwise::ndtri;
};

}  // namespace chainer::functions
