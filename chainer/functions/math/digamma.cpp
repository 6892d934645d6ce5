#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {
struct DigammaNode : UnaryNode<Elementwise::digamma> {
  std::string label() const override { return "digamma"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * polygamma(Variable(array(1).to_device(gy[0].device()), false), retained_input(0))};
  }
};
}  // namespace

Variable Digamma::operator()(const Variable& x) const { return apply_single(DigammaNode(), x); }

}  // namespace chainer::functions
