// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {

struct TransposeNode : FunctionNode, Described {
  explicit TransposeNode(const Axes& a) : axes(a) {}
  std::string label() const override { return "Transpose"; }
  void describe(NodeAttributes& a) const override { a("axes", axes); }
  Arrays forward(const Arrays& x) override { return {x[0].transpose(axes)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (!axes.given()) return {transpose(gy[0])};
    Dims inverse = Dims::filled(gy[0].ndim(), 0);
    for (int i = 0; i < gy[0].ndim(); ++i) inverse[normalize_axis(axes.list()[i], gy[0].ndim(), "transpose")] = i;
    return {transpose(gy[0], inverse)};
  }
  Axes axes;
};

}  // namespace

Variable Transpose::operator()(const Variable& x, const Axes& axes) const {
  return apply_single(TransposeNode(axes), x);
}

}  // namespace chainer::functions
