// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct Log1pNode : UnaryNode<Elementwise::log1p> {
  std::string label() const override { return "log1p"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / (x + 1.0)};
  }
};
}  // namespace

Variable Log1p::operator()(const Variable& x) const { return apply_single(Log1pNode(), x); }

}  // namespace chainer::functions
