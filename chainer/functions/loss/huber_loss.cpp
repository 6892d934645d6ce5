// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

struct HuberNode : FunctionNode {
  explicit HuberNode(double d) : delta(d) {}
  std::string label() const override { return "HuberLoss"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    expect(in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
  }
  // With d clipped to delta: d_clipped (d - d_clipped / 2), which is d^2 / 2 inside and linear outside.
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array d = in[0] - in[1], inside = chainer::clip(d, -delta, delta);
    return {inside * (d - inside * 0.5)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const auto [x, t] = retained_inputs<2>();
    const Variable g = gy[0] * clip(x - t, -delta, delta);
    return {g, -g};
  }
  double delta;
};

}  // namespace

Variable HuberLoss::operator()(const Variable& x, const Variable& t, double delta, const HuberLossOptions& o) const {
  if (are_narrow(x, t)) return (*this)(widened(x), widened(t), delta, o);
  const Variable loss = apply_single(HuberNode(delta), x, t);
  if (o.reduce == Reduction::sum_along_second_axis) return sum(loss, 1);
  return reduced(loss, o.reduce, "huber_loss", {Reduction::mean, Reduction::sum, Reduction::no});
}

}  // namespace chainer::functions
