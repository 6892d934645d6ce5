// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization/affine_rows.h"

#include "chainer/array/backend.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"

namespace chainer::functions {
namespace {

struct AffineRowsNode : FunctionNode {
  AffineRowsNode(std::string l, const host_kernels::AffineRows& r, std::function<Variable(const Variables&)> f)
      : name(std::move(l)), rows(r), composed(std::move(f)) {}
  std::string label() const override { return name; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1, 2});
    mean = Array({rows.rows}, float64);
    rstd = Array({rows.rows}, float64);
    return {host_kernels::affine_rows(rows, in[0], in[1], in[2], mean, rstd)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = retained_input(0), gamma = retained_input(1);
    if (config().enable_backprop)
      return partial_gradients([&](const Variables& in) { return Variables{composed(in)}; },
                               {x, gamma, retained_input(2)}, wanted, gy);
    Variables out;
    for (Array& g :
         host_kernels::affine_rows_grad(rows, x.array(), gamma.array(), dense(gy[0].array(), x.dtype()), mean, rstd))
      out.push_back(Variable(std::move(g), false));
    return out;
  }
  std::string name;
  host_kernels::AffineRows rows;
  std::function<Variable(const Variables&)> composed;
  Array mean, rstd;
};

}  // namespace

Variable affine_rows(const std::string& label, const Variable& x, const Variable& gamma, const Variable& beta,
                     const host_kernels::AffineRows& rows, const std::function<Variable(const Variables&)>& composed) {
  bool simple = !CompositeRecorder::current && x.size() > 0;
  for (const Variable* v : {&x, &gamma, &beta}) simple = simple && host_kernels::takes_rows(v->array());
  if (!simple) return composed({x, gamma, beta});
  return apply_single(AffineRowsNode(label, rows, composed), x, gamma, beta);
}

}  // namespace chainer::functions
