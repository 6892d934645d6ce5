// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct Log10Node : UnaryNode<Elementwise::log10> {
  std::string label() const override { return "log10"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / x / std::numbers::ln10};
  }
};
}  // namespace

Variable Log10::operator()(const Variable& x) const { return apply_single(Log10Node(), x); }

}  // namespace chainer::functions
