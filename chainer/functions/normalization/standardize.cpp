// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization/standardize.h"

#include "chainer/array/backend.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

// Built of differentiable functions: used for gradients that need a graph.
Variable composed(const Variable& x, double eps) {
  const Variable wide = cast(x, compute_dtype(x.dtype())), centered = wide - mean(wide, 1, {.keepdims = true});
  return cast(centered * rsqrt(mean(square(centered), 1, {.keepdims = true}) + eps), x.dtype());
}

struct StandardizeNode : FunctionNode, Described {
  explicit StandardizeNode(double e) : eps(e) {}
  std::string label() const override { return "Standardize"; }
  void describe(NodeAttributes& a) const override { a("eps", eps); }
  Arrays forward(const Arrays& in) override {
    if (in[0].ndim() != 2) throw DimensionError("standardize: x must be a matrix, not of shape ", in[0].shape());
    retain_inputs({0});
    const Array x = dense(in[0], compute_dtype(in[0].dtype()));
    y = Array(x.shape(), x.dtype(), x.device());
    rstd = Array({x.shape()[0]}, float64, x.device());
    if (x.size()) y.device().backend().standardize(x, eps, y, rstd);
    return {y.astype(in[0].dtype(), false)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = retained_input(0);
    if (config().enable_backprop)
      return partial_gradients([&](const Variables& in) { return Variables{composed(in[0], eps)}; }, {x}, wanted, gy);
    const Array g = dense(gy[0].array(), y.dtype());
    Array gx(g.shape(), g.dtype(), g.device());
    if (g.size()) gx.device().backend().standardize_grad(g, y, rstd, gx);
    return {Variable(gx.astype(x.dtype(), false), false)};
  }
  double eps;
  Array y, rstd;
};

}  // namespace

Variable standardize(const Variable& x, double eps) { return apply_single(StandardizeNode(eps), x); }

}  // namespace chainer::functions
