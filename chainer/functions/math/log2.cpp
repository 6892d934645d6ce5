// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct Log2Node : UnaryNode<Elementwise::log2> {
  std::string label() const override { return "log2"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / x / std::numbers::ln2};
  }
};
}  // namespace

Variable Log2::operator()(const Variable& x) const { return apply_single(Log2Node(), x); }

}  // namespace chainer::functions
