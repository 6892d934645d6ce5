// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct SqrtNode : UnaryNode<Elementwise::sqrt, Keep::output> {
  std::string label() const override { return "sqrt"; }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] / (retained_output(0) * 2.0)}; }
};
}  // namespace

Variable Sqrt::operator()(const Variable& x) const { return apply_single(SqrtNode(), x); }

}  // namespace chainer::functions
