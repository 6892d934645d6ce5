// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ExpNode : UnaryNode<Elementwise::exp, Keep::output> {
  std::string label() const override { return "exp"; }
  Variables backward(const Indexes&, const Variables& gy) override { return {retained_output(0) * gy[0]}; }
};
}  // namespace

Variable Exp::operator()(const Variable& x) const { return apply_single(ExpNode(), x); }

}  // namespace chainer::functions
