// SPDX-License-Identifier: MIT
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
struct SoftplusNode : UnaryNode<Elementwise::softplus>, Described {
  explicit SoftplusNode(double b) : beta(b) {}
  std::string label() const override { return "Softplus"; }
  void describe(NodeAttributes& a) const override { a("beta", beta); }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    if (beta == 1) return {chainer::softplus(x[0])};
    // The linear part is taken from x, not from beta x / beta: beta x may overflow where x does not.
    const Array linear = beta > 0 ? chainer::maximum(x[0], 0) : chainer::minimum(x[0], 0);
    return {linear + chainer::log1p(chainer::exp(-chainer::absolute(x[0] * beta))) / beta};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {sigmoid(beta == 1 ? x : x * beta) * gy[0]};
  }
  double beta;
};
}  // namespace

Variable Softplus::operator()(const Variable& x, const SoftplusOptions& o) const {
  if (o.beta == 0) throw ValueError("softplus: beta must not be zero");
  return apply_single(SoftplusNode(o.beta), x);
}

}  // namespace chainer::functions
