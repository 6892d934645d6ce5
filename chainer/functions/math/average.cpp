// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {
// One node instead of sum and division: the sum may overflow, as that of 70,000 ones does in float16.
struct MeanNode : FunctionNode, Described {
  MeanNode(const Dims& a, bool k) : axes(a), keepdims(k) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "Mean"; }
  void describe(NodeAttributes& a) const override { a("axes", Axes(axes))("keepdims", keepdims); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override { return {chainer::mean(x[0], axes, keepdims)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    Shape kept = input_shape(0);
    double count = 1;
    for (int64_t d : axes) count *= static_cast<double>(std::exchange(kept[d], 1));
    // Divides in float32: a count above 65,504 is inf in float16.
    const Dtype dtype = gy[0].dtype(), wide = item_size(dtype) == 2 ? float32 : dtype;
    return {broadcast_to(reshape(cast(cast(gy[0], wide) / count, dtype), kept), input_shape(0))};
  }
  Dims axes;
  bool keepdims;
};
}  // namespace

Variable Average::operator()(const Variable& x, const Axes& axis, const AverageOptions& o) const {
  const Dims axes = axis.normalized(x.ndim(), "average");
  if (o.weights && are_narrow(x, o.weights))
    return (*this)(widened(x), axis, {.weights = widened(o.weights), .keepdims = o.keepdims});
  if (!o.weights) return apply_single(MeanNode(axes, o.keepdims), x);
  Variable w = o.weights;
  if (w.shape() != x.shape()) {
    if (axes.ndim() != 1 || w.ndim() != 1 || w.shape()[0] != x.shape()[axes[0]])
      throw DimensionError("average: weights of shape ", w.shape(), " fit neither x of shape ", x.shape(),
                           " nor its axes ", axes);
    Shape wide = Dims::filled(x.ndim(), 1);
    wide[axes[0]] = w.shape()[0];
    w = reshape(w, wide);
  }
  w = broadcast_to(w, x.shape());
  return sum(x * w, axes, {.keepdims = o.keepdims}) / sum(w, axes, {.keepdims = o.keepdims});
}

}  // namespace chainer::functions
