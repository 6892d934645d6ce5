// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct RsqrtNode : UnaryNode<Elementwise::rsqrt> {
  std::string label() const override { return "rsqrt"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * rsqrt(x) / x * -0.5};
  }
};
}  // namespace

Variable Rsqrt::operator()(const Variable& x) const { return apply_single(RsqrtNode(), x); }

}  // namespace chainer::functions
