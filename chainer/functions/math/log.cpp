// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct LogNode : UnaryNode<Elementwise::log> {
  std::string label() const override { return "log"; }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] / retained_input(0)}; }
};
}  // namespace

Variable Log::operator()(const Variable& x) const { return apply_single(LogNode(), x); }

}  // namespace chainer::functions
