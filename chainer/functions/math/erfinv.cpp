// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ErfinvNode : UnaryNode<Elementwise::erfinv, Keep::output> {
  std::string label() const override { return "erfinv"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable y = retained_output(0);
    return {gy[0] * exp(y * y) * (std::sqrt(std::numbers::pi) / 2)};
  }
};
}  // namespace

Variable Erfinv::operator()(const Variable& x) const { return apply_single(ErfinvNode(), x); }

}  // namespace chainer::functions
