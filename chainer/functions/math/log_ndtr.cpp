#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct LogNdtrNode : UnaryNode<Elementwise::log_ndtr> {
  std::string label() const override { return "log_ndtr"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    // The density over the probability, both far out in the tail: exp(-x^2 / 2) goes out of the fraction.
    const Variable x = retained_input(0);
    return {gy[0] * (std::sqrt(2 / std::numbers::pi) / erfcx(x * (-1 / std::numbers::sqrt2)))};
  }
};
}  // namespace

Variable LogNdtr::operator()(const Variable& x) const { return apply_single(LogNdtrNode(), x); }

}  // namespace chainer::functions
