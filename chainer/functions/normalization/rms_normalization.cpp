// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/host_kernels/normalize.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

// In functions on variables: for gradients with a graph, exports, and arrays that the host's loops do not take.
Variable composed(const Variable& x, const Variable& gamma, double eps) {
  const Dtype d = compute_dtype(x.dtype());
  const Variable wide = cast(x, d);
  return cast(wide * rsqrt(mean(square(wide), -1, {.keepdims = true}) + eps) * cast(gamma, d), x.dtype());
}

struct RmsNormalizationNode : FunctionNode {
  explicit RmsNormalizationNode(double e) : eps(e) {}
  std::string label() const override { return "RmsNormalization"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    rstd = Array({in[0].size() / in[1].size()}, float64);
    return {host_kernels::rms_rows(in[0], in[1], eps, rstd)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const auto [x, gamma] = retained_inputs<2>();
    if (config().enable_backprop)
      return partial_gradients([this](const Variables& in) { return Variables{composed(in[0], in[1], eps)}; },
                               {x, gamma}, wanted, gy);
    const Arrays g = host_kernels::rms_rows_grad(x.array(), gamma.array(), dense(gy[0].array(), x.dtype()), rstd);
    return {Variable(g[0], false), Variable(g[1], false)};
  }
  double eps;
  Array rstd;
};

}  // namespace

Variable RmsNormalization::operator()(const Variable& x, const Variable& gamma,
                                      const RmsNormalizationOptions& o) const {
  if (are_narrow(x, gamma)) return cast((*this)(widened(x), widened(gamma), o), x.dtype());
  type_check::check(name.data(), {x.array(), gamma.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "gamma"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[0].ndim() >= 1, in[1].ndim() == 1);
    expect(in[1].shape(0) == in[0].shape(-1));
  });
  if (CompositeRecorder::current || !x.size() || !host_kernels::takes_rows(x.array()) ||
      !host_kernels::takes_rows(gamma.array()))
    return composed(x, gamma, o.eps);
  return apply_single(RmsNormalizationNode(o.eps), x, gamma);
}

}  // namespace chainer::functions
