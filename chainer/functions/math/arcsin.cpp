// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ArcsinNode : UnaryNode<Elementwise::arcsin> {
  std::string label() const override { return "arcsin"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / sqrt(1.0 - x * x)};
  }
};
}  // namespace

Variable Arcsin::operator()(const Variable& x) const { return apply_single(ArcsinNode(), x); }

}  // namespace chainer::functions
