// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {
struct IdentityNode : FunctionNode {
  MixedPrecision mixed_precision() const override { return MixedPrecision::any_mix; }
  std::string label() const override { return "Identity"; }
  Arrays forward(const Arrays& x) override { return x; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables out;
    for (int i : wanted) out.push_back(gy[static_cast<std::size_t>(i)]);
    return out;
  }
};
}  // namespace

Variable Identity::operator()(const Variable& x) const { return apply_single(IdentityNode(), x); }
Variables Identity::operator()(const Variables& xs) const { return apply(IdentityNode(), xs); }

}  // namespace chainer::functions
