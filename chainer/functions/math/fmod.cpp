// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

struct FmodNode : FunctionNode {
  std::string label() const override { return "fmod"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "divisor"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
    type_check::expect_broadcast_shapes(in[0], in[1]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {chainer::fmod(x[0], x[1])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    auto [x, divisor] = retained_inputs<2>();
    // The gradient with respect to the divisor is minus the whole quotient. It comes from the remainder, because x /
    // divisor may round up to the next whole number.
    const Array d = divisor.array(), whole = rint((x.array() - chainer::fmod(x.array(), d)) / d);
    return {sum_to(gy[0], x.shape()), sum_to(gy[0] * Variable(-whole, false), divisor.shape())};
  }
};

}  // namespace

Variable Fmod::operator()(const Variable& x, const Variable& divisor) const {
  return apply_single(FmodNode(), x, divisor);
}

}  // namespace chainer::functions
