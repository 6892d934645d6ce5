// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {
// The first derivative of digamma, in one pass.
struct TrigammaNode : UnaryNode<Elementwise::trigamma> {
  std::string label() const override { return "trigamma"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * polygamma(Variable(array(2).to_device(gy[0].device()), false), retained_input(0))};
  }
};
struct DigammaNode : UnaryNode<Elementwise::digamma> {
  std::string label() const override { return "digamma"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * apply_single(TrigammaNode(), retained_input(0))};
  }
};
}  // namespace

Variable Digamma::operator()(const Variable& x) const { return apply_single(DigammaNode(), x); }

}  // namespace chainer::functions
