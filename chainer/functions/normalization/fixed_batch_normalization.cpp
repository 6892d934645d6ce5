// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/key_order.h"
#include "chainer/functions/normalization/normalize_batch.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

// Built of differentiable functions of (x, gamma, beta, mean, var): used for gradients that need a graph.
Variable composed(const Variables& in, double eps, const Shape& expanded) {
  const Dtype d = compute_dtype(in[0].dtype());
  const auto wide = [d](const Variable& v) { return cast(v, d); };
  const Variable scale = wide(in[1]) * rsqrt(wide(in[4]) + eps);
  const Variable centered = wide(in[0]) - reshape(wide(in[3]), expanded);
  return cast(centered * reshape(scale, expanded) + reshape(wide(in[2]), expanded), in[0].dtype());
}

// The same with constant statistics: one pass over the data forward, two backward.
struct FixedNode : FunctionNode {
  FixedNode(double e, const KeyOrder& o) : eps(e), order(o) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::any_mix; }
  std::string label() const override { return "FixedBatchNormalization"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1, 2, 3, 4});
    const Dtype d = compute_dtype(in[0].dtype());
    const auto wide = [&](const Array& a) { return a.astype(d, false).reshape(order.expanded()); };
    const Array scale = in[1].astype(d, false) * chainer::rsqrt(in[4].astype(d, false) + eps);
    const Array centered = in[0].astype(d, false) - wide(in[3]);
    return {ternary(Elementwise::multiply_add, centered, wide(scale), wide(in[2])).astype(in[0].dtype(), false)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables in = retained_inputs();
    if (config().enable_backprop)
      return partial_gradients([&](const Variables& v) { return Variables{composed(v, eps, order.expanded())}; }, in,
                               wanted, gy);
    const Array &x = in[0].array(), &gamma = in[1].array(), &g = gy[0].array();
    const Dtype d = compute_dtype(x.dtype());
    const Array rstd = chainer::rsqrt(in[4].array().astype(d, false) + eps);
    const Array slope = (gamma.astype(d, false) * rstd).reshape(order.expanded());
    Variables out(5);
    out[0] = Variable((g.astype(d, false) * slope).astype(x.dtype(), false), false);
    Array total({order.keys()}, float64, x.device()), along({order.keys()}, float64, x.device());
    const Array elements = order.take(x, d);
    elements.device().backend().moments_grad(order.take(g, d), elements, in[3].array().astype(float64).ravel(), total,
                                             along);
    along = along * rstd.astype(float64).ravel();
    const auto as_key = [&](const Array& a) { return Variable(a.astype(gamma.dtype()).reshape(gamma.shape()), false); };
    out[1] = as_key(along), out[2] = as_key(total);
    return out;
  }
  double eps;
  KeyOrder order;
};

}  // namespace

Variable FixedBatchNormalization::operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                                             const Variable& mean, const Variable& var,
                                             const FixedBatchNormalizationOptions& o) const {
  if (are_narrow(gamma, beta, mean, var))
    return (*this)(x, widened(gamma), widened(beta), widened(mean), widened(var), o);
  const Dims averaged = averaged_axes("FixedBatchNormalization",
                                      {x.array(), gamma.array(), beta.array(), mean.array(), var.array()}, o.axis);
  const KeyOrder order(x.array(), averaged);
  const bool constant = !mean.requires_grad() && !var.requires_grad();
  if (constant && x.size() && !CompositeRecorder::current)
    return apply(FixedNode(o.eps, order), {x, gamma, beta, mean, var})[0];
  return composite("FixedBatchNormalization", {&x, &gamma, &beta, &mean, &var},
                   composed({x, gamma, beta, mean, var}, o.eps, order.expanded()),
                   [&](NodeAttributes& a) { a("eps", o.eps)("averaged", averaged); });
}

}  // namespace chainer::functions
