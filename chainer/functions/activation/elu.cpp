// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

struct EluNode : FunctionNode, Described {
  explicit EluNode(const EluOptions& o) : options(o) {}
  std::string label() const override { return "ELU"; }
  void describe(NodeAttributes& a) const override { a("alpha", options.alpha); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {binary(Elementwise::elu, x[0], options.alpha)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    const Array negative_side = x.array() < 0;
    // Elsewhere exp gets 0, so that large positive x do not overflow.
    const Variable inner = where(negative_side, x, Variable(zeros_like(x.array()), false));
    const Variable slope = where(negative_side, exp(inner) * options.alpha, Variable(ones_like(x.array()), false));
    return {slope * gy[0]};
  }
  EluOptions options;
};

}  // namespace

Variable Elu::operator()(const Variable& x, const EluOptions& o) const { return apply_single(EluNode(o), x); }

}  // namespace chainer::functions
