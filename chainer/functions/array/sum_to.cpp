// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

struct SumToNode : FunctionNode {
  explicit SumToNode(const Shape& s) : shape(s) {}
  std::string label() const override { return "SumTo"; }
  Arrays forward(const Arrays& x) override { return {chainer::sum_to(x[0], shape)}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {broadcast_to(gy[0], input_shape(0))}; }
  Shape shape;
};

}  // namespace

Variable SumTo::operator()(const Variable& x, const Shape& shape) const {
  return x.shape() == shape ? x : apply_single(SumToNode(shape), x);
}

}  // namespace chainer::functions
