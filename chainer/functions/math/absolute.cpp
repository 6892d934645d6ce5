// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct AbsoluteNode : UnaryNode<Elementwise::absolute> {
  std::string label() const override { return "|_|"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * chainer::sign(retained_input(0).array())};  // piecewise constant: a constant of the graph
  }
};
}  // namespace

Variable Absolute::operator()(const Variable& x) const { return apply_single(AbsoluteNode(), x); }

}  // namespace chainer::functions
