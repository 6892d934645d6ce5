// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

struct WhereNode : FunctionNode {
  std::string label() const override { return "Where"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"condition", "x", "y"});
    type_check::expect(in[1].dtype() == in[2].dtype());
    type_check::expect_broadcast_shapes({in[0].shape(), in[1].shape(), in[2].shape()});
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {chainer::where(in[0], in[1], in[2])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable condition = retained_input(0);
    const Variable zero = Variable(zeros(Shape{}, gy[0].dtype(), gy[0].device()), false);
    return {Variable(), sum_to(where(condition, gy[0], zero), input_shape(1)),
            sum_to(where(condition, zero, gy[0]), input_shape(2))};
  }
};

}  // namespace

Variable Where::operator()(const Variable& condition, const Variable& x, const Variable& y) const {
  return apply_single(WhereNode(), Variable(condition.array(), false), x, y);
}

}  // namespace chainer::functions
