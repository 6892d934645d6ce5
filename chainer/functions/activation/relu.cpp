// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {

// The gradient of relu: gy where y > 0, else 0. Linear in gy.
struct ReLUGrad : FunctionNode {
  explicit ReLUGrad(Array y_) : y(std::move(y_)) {}
  Arrays forward(const Arrays& gy) override { return {relu_grad(y, gy[0])}; }
  Variables backward(const Indexes&, const Variables& ggx) override { return {apply_single(ReLUGrad(y), ggx[0])}; }
  Array y;
};

struct ReLUNode : UnaryNode<Elementwise::relu, Keep::output> {
  std::string label() const override { return "ReLU"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(ReLUGrad(output_data()[0]), gy[0])};
  }
};

}  // namespace

Variable Relu::operator()(const Variable& x) const { return apply_single(ReLUNode(), x); }

}  // namespace chainer::functions
