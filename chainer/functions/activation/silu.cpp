// SPDX-License-Identifier: MIT
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {

Variable composed(const Variable& x) { return x * sigmoid(x); }

struct SiluNode : UnaryNode<Elementwise::silu> {
  std::string label() const override { return "Silu"; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = retained_input(0);
    if (config().enable_backprop)
      return partial_gradients([](const Variables& in) { return Variables{composed(in[0])}; }, {x}, wanted, gy);
    return {Variable(binary(Elementwise::silu_grad, x.array(), gy[0].array()), false)};
  }
};

}  // namespace

Variable Silu::operator()(const Variable& x) const {
  if (CompositeRecorder::current) return composed(x);  // of operators that exporters know
  return apply_single(SiluNode(), x);
}

}  // namespace chainer::functions
