// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {

// gy (1 - y^2) in one pass.
struct TanhGrad : FunctionNode {
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {tanh_grad(in[0], in[1])};
  }
  Variables backward(const Indexes&, const Variables& ggx) override {
    auto [y, gy] = retained_inputs<2>();
    return {ggx[0] * gy * y * -2.0, ggx[0] * (1.0 - y * y)};
  }
};

struct TanhNode : UnaryNode<Elementwise::tanh, Keep::output> {
  std::string label() const override { return "Tanh"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(TanhGrad(), retained_output(0), gy[0])};
  }
};

}  // namespace

Variable Tanh::operator()(const Variable& x) const { return apply_single(TanhNode(), x); }

}  // namespace chainer::functions
