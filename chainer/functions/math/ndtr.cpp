// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct NdtrNode : UnaryNode<Elementwise::ndtr> {
  std::string label() const override { return "ndtr"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * exp(x * x * -0.5) * (1 / std::sqrt(2 * std::numbers::pi))};
  }
};
}  // namespace

Variable Ndtr::operator()(const Variable& x) const { return apply_single(NdtrNode(), x); }

}  // namespace chainer::functions
