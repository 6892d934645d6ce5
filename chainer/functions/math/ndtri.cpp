// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct NdtriNode : UnaryNode<Elementwise::ndtri, Keep::output> {
  std::string label() const override { return "ndtri"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable y = retained_output(0);
    return {gy[0] * exp(y * y * 0.5) * std::sqrt(2 * std::numbers::pi)};
  }
};
}  // namespace

Variable Ndtri::operator()(const Variable& x) const { return apply_single(NdtriNode(), x); }

}  // namespace chainer::functions
