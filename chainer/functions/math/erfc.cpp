// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ErfcNode : UnaryNode<Elementwise::erfc> {
  std::string label() const override { return "erfc"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * exp(-(x * x)) * (-2 / std::sqrt(std::numbers::pi))};
  }
};
}  // namespace

Variable Erfc::operator()(const Variable& x) const { return apply_single(ErfcNode(), x); }

}  // namespace chainer::functions
