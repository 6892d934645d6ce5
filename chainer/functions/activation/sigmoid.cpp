// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {

// gy y (1 - y) in one pass.
struct SigmoidGrad : FunctionNode {
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {sigmoid_grad(in[0], in[1])};
  }
  Variables backward(const Indexes&, const Variables& ggx) override {
    auto [y, gy] = retained_inputs<2>();
    return {ggx[0] * gy * (1.0 - 2.0 * y), ggx[0] * y * (1.0 - y)};
  }
};

struct SigmoidNode : UnaryNode<Elementwise::sigmoid, Keep::output> {
  std::string label() const override { return "Sigmoid"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(SigmoidGrad(), retained_output(0), gy[0])};
  }
};

}  // namespace

Variable Sigmoid::operator()(const Variable& x) const { return apply_single(SigmoidNode(), x); }

}  // namespace chainer::functions
