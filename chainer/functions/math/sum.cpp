// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {
struct SumNode : FunctionNode, Described {
  SumNode(const Axes& a, bool k) : axis(a), keepdims(k) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "Sum"; }
  void describe(NodeAttributes& a) const override { a("axes", axis)("keepdims", keepdims); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override { return {chainer::sum(x[0], axis, keepdims)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (keepdims || gy[0].ndim() == 0) return {broadcast_to(gy[0], input_shape(0))};
    Shape kept = input_shape(0);
    for (int64_t d : axis.normalized(kept.ndim(), "sum")) kept[d] = 1;
    return {broadcast_to(reshape(gy[0], kept), input_shape(0))};
  }
  Axes axis;
  bool keepdims;
};
}  // namespace

Variable Sum::operator()(const Variable& x, const Axes& axis, const ReduceOptions& o) const {
  return apply_single(SumNode(axis, o.keepdims), x);
}

}  // namespace chainer::functions
