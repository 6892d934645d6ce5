// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct TanNode : UnaryNode<Elementwise::tan> {
  std::string label() const override { return "tan"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / square(cos(x))};
  }
};
}  // namespace

Variable Tan::operator()(const Variable& x) const { return apply_single(TanNode(), x); }

}  // namespace chainer::functions
