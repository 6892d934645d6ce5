// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct LgammaNode : UnaryNode<Elementwise::lgamma> {
  std::string label() const override { return "lgamma"; }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] * digamma(retained_input(0))}; }
};
}  // namespace

Variable Lgamma::operator()(const Variable& x) const { return apply_single(LgammaNode(), x); }

}  // namespace chainer::functions
