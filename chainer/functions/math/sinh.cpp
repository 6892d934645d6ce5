// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct SinhNode : UnaryNode<Elementwise::sinh> {
  std::string label() const override { return "sinh"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * cosh(x)};
  }
};
}  // namespace

Variable Sinh::operator()(const Variable& x) const { return apply_single(SinhNode(), x); }

}  // namespace chainer::functions
