// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct SquareNode : UnaryNode<Elementwise::square> {
  std::string label() const override { return "square"; }
  Variables backward(const Indexes&, const Variables& gy) override { return {retained_input(0) * gy[0] * 2.0}; }
};
}  // namespace

Variable Square::operator()(const Variable& x) const { return apply_single(SquareNode(), x); }

}  // namespace chainer::functions
