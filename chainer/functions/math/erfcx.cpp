#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct ErfcxNode : UnaryNode<Elementwise::erfcx> {
  std::string label() const override { return "erfcx"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * (2 * (x * erfcx(x) - 1 / std::sqrt(std::numbers::pi)))};
  }
};
}  // namespace

Variable Erfcx::operator()(const Variable& x) const { return apply_single(ErfcxNode(), x); }

}  // namespace chainer::functions
