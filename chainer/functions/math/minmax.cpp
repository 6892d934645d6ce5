// SPDX-License-Identifier: MIT
// max, min over axes, and maximum, minimum of two.
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

template <bool largest>
struct SelectNode : FunctionNode, Described {
  SelectNode(const Axes& a, bool k) : axis(a), keepdims(k) {}
  std::string label() const override { return largest ? "Max" : "Min"; }
  void describe(NodeAttributes& a) const override { a("axes", axis)("keepdims", keepdims); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    const Array top = largest ? chainer::max(x[0], axis, true) : chainer::min(x[0], axis, true);
    kept = top.shape();
    selected = equal(x[0], top).astype(x[0].dtype());
    return {keepdims
                ? top
                : chainer::squeeze(top, axis.given() ? axis.normalized(x[0].ndim(), "max") : all_axes(x[0].ndim()))};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {broadcast_to(reshape(gy[0], kept), input_shape(0)) * selected};
  }
  static Dims all_axes(int n) { return Axes().normalized(n, "max"); }
  Axes axis;
  bool keepdims;
  Shape kept;
  Array selected;
};

template <Elementwise op>
struct ExtremeNode : FunctionNode {
  std::string label() const override { return op == Elementwise::maximum ? "Maximum" : "Minimum"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x1", "x2"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
    type_check::expect_broadcast_shapes({in[0].shape(), in[1].shape()});
  }
  Arrays forward(const Arrays& x) override {
    first = op == Elementwise::maximum ? x[0] >= x[1] : x[0] <= x[1];
    return {binary(op, x[0], x[1])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {sum_to(gy[0] * first.astype(gy[0].dtype()), input_shape(0)),
            sum_to(gy[0] * logical_not(first).astype(gy[0].dtype()), input_shape(1))};
  }
  Array first;
};

}  // namespace

Variable Max::operator()(const Variable& x, const Axes& axis, const ReduceOptions& o) const {
  return apply_single(SelectNode<true>(axis, o.keepdims), x);
}
Variable Min::operator()(const Variable& x, const Axes& axis, const ReduceOptions& o) const {
  return apply_single(SelectNode<false>(axis, o.keepdims), x);
}
Variable Maximum::operator()(const Variable& a, const Variable& b) const {
  return apply_single(ExtremeNode<Elementwise::maximum>(), a, b);
}
Variable Minimum::operator()(const Variable& a, const Variable& b) const {
  return apply_single(ExtremeNode<Elementwise::minimum>(), a, b);
}

}  // namespace chainer::functions
