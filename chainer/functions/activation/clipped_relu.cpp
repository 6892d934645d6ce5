// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

// The gradient: gy where the input was between the limits, else 0. Linear in gy.
struct Inside : FunctionNode {
  Inside(Array m) : mask(std::move(m)) {}
  Arrays forward(const Arrays& gy) override { return {gy[0] * mask}; }
  Variables backward(const Indexes&, const Variables& ggx) override { return {ggx[0] * Variable(mask, false)}; }
  Array mask;
};
struct ClippedReLUNode : FunctionNode, Described {
  explicit ClippedReLUNode(double v) : z(v) {}
  std::string label() const override { return "ClippedReLU"; }
  void describe(NodeAttributes& a) const override { a("z", z); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {chainer::clip(x[0], 0, z)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Array x = input_data()[0];
    return {apply_single(Inside(between(x, 0, z)), gy[0])};
  }
  double z;
};

}  // namespace

Variable ClippedRelu::operator()(const Variable& x, double z) const {
  if (!(z > 0)) throw ValueError("clipped_relu: z must be positive, not ", z);
  return apply_single(ClippedReLUNode(z), x);
}

}  // namespace chainer::functions
