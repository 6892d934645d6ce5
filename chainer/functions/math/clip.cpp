// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {
// The gradient: gy where x was between the limits, else 0, even if gy is infinite.
struct ClipGrad : FunctionNode {
  explicit ClipGrad(Array m) : inside(std::move(m)) {}
  Arrays forward(const Arrays& gy) override { return {relu_grad(inside, gy[0])}; }
  Variables backward(const Indexes&, const Variables& ggx) override { return {apply_single(ClipGrad(inside), ggx[0])}; }
  Array inside;
};
struct ClipNode : FunctionNode, Described {
  ClipNode(double l, double h) : lo(l), hi(h) {}
  std::string label() const override { return "Clip"; }
  void describe(NodeAttributes& a) const override { a("lo", lo)("hi", hi); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {chainer::clip(x[0], lo, hi)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(ClipGrad(between(input_data()[0], lo, hi)), gy[0])};
  }
  double lo, hi;
};
}  // namespace

Variable Clip::operator()(const Variable& x, double x_min, double x_max) const {
  if (!(x_min <= x_max)) throw ValueError("clip: x_min ", x_min, " must not exceed x_max ", x_max);
  return apply_single(ClipNode(x_min, x_max), x);
}

}  // namespace chainer::functions
