// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct CosNode : UnaryNode<Elementwise::cos> {
  std::string label() const override { return "cos"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {-(gy[0] * sin(x))};
  }
};
}  // namespace

Variable Cos::operator()(const Variable& x) const { return apply_single(CosNode(), x); }

}  // namespace chainer::functions
