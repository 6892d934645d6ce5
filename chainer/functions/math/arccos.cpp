// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ArccosNode : UnaryNode<Elementwise::arccos> {
  std::string label() const override { return "arccos"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {-gy[0] / sqrt(1.0 - x * x)};
  }
};
}  // namespace

Variable Arccos::operator()(const Variable& x) const { return apply_single(ArccosNode(), x); }

}  // namespace chainer::functions
