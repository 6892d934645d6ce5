// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct CoshNode : UnaryNode<Elementwise::cosh> {
  std::string label() const override { return "cosh"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * sinh(x)};
  }
};
}  // namespace

Variable Cosh::operator()(const Variable& x) const { return apply_single(CoshNode(), x); }

}  // namespace chainer::functions
