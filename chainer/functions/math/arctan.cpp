// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ArctanNode : UnaryNode<Elementwise::arctan> {
  std::string label() const override { return "arctan"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / (x * x + 1.0)};
  }
};
}  // namespace

Variable Arctan::operator()(const Variable& x) const { return apply_single(ArctanNode(), x); }

}  // namespace chainer::functions
