// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct Expm1Node : UnaryNode<Elementwise::expm1> {
  std::string label() const override { return "expm1"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * exp(x)};
  }
};
}  // namespace

Variable Expm1::operator()(const Variable& x) const { return apply_single(Expm1Node(), x); }

}  // namespace chainer::functions
