// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct SinNode : UnaryNode<Elementwise::sin> {
  std::string label() const override { return "sin"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * cos(x)};
  }
};
}  // namespace

Variable Sin::operator()(const Variable& x) const { return apply_single(SinNode(), x); }

}  // namespace chainer::functions
