// SPDX-License-Identifier: MIT
// softmax and log_softmax.
#include "chainer/array/backend.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/array/host_kernels/normalize.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

template <bool logarithm>
struct SoftmaxNode : FunctionNode, Described {
  explicit SoftmaxNode(int64_t a) : axis(a) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return logarithm ? "LogSoftmax" : "Softmax"; }
  void describe(NodeAttributes& a) const override { a("axis", axis); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
    if (axis >= 0)
      type_check::expect(type_check::make_variable(axis, "axis") < in[0].ndim());
    else
      type_check::expect(type_check::make_variable(-axis, "-axis") <= in[0].ndim());
  }
  Arrays forward(const Arrays& in) override {
    retain_outputs({0});
    const Array x = in[0].contiguous();
    const int d = normalize_axis(axis, x.ndim(), "softmax");
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < d; ++i) outer *= x.shape()[i];
    for (int i = d + 1; i < x.ndim(); ++i) inner *= x.shape()[i];
    Array y(x.shape(), x.dtype(), x.device());
    if (y.size()) y.device().backend().softmax(logarithm, x, outer, x.shape()[d], inner, y);
    return {y};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable y = retained_output(0);
    if (!config().enable_backprop && normalize_axis(axis, y.ndim(), "softmax") == y.ndim() - 1 &&
        host_kernels::takes_rows(y.array()))
      return {Variable(host_kernels::softmax_grad(logarithm, dense(gy[0].array(), y.dtype()), y.array()), false)};
    if constexpr (logarithm) {
      const Variable total = broadcast_to(sum(gy[0], axis, {.keepdims = true}), y.shape());
      return {gy[0] - exp(y) * total};
    } else {
      const Variable g = gy[0] * y;
      return {g - y * broadcast_to(sum(g, axis, {.keepdims = true}), y.shape())};
    }
  }
  int64_t axis;
};

}  // namespace

Variable Softmax::operator()(const Variable& x, int64_t axis) const {
  return apply_single(SoftmaxNode<false>(axis), x);
}
Variable LogSoftmax::operator()(const Variable& x, int64_t axis) const {
  return apply_single(SoftmaxNode<true>(axis), x);
}

}  // namespace chainer::functions
