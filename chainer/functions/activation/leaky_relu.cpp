// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

// The gradient: gy, times the slope where x <= 0. Linear in gy.
struct LeakyReLUGrad : FunctionNode {
  LeakyReLUGrad(Array x_, double s) : x(std::move(x_)), slope(s) {}
  Arrays forward(const Arrays& gy) override { return {chainer::where(x > 0, gy[0], gy[0] * slope)}; }
  Variables backward(const Indexes&, const Variables& ggx) override {
    return {apply_single(LeakyReLUGrad(x, slope), ggx[0])};
  }
  Array x;
  double slope;
};

struct LeakyReLUNode : FunctionNode, Described {
  explicit LeakyReLUNode(const LeakyReluOptions& o) : options(o) {}
  std::string label() const override { return "LeakyReLU"; }
  void describe(NodeAttributes& a) const override { a("slope", options.slope); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {binary(Elementwise::leaky_relu, x[0], options.slope)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(LeakyReLUGrad(input_data()[0], options.slope), gy[0])};
  }
  LeakyReluOptions options;
};

}  // namespace

Variable LeakyRelu::operator()(const Variable& x, const LeakyReluOptions& o) const {
  return apply_single(LeakyReLUNode(o), x);
}

}  // namespace chainer::functions
