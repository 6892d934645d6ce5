// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/square_matrices.h"
#include "chainer/routines/linalg.h"

namespace chainer::functions {
namespace {

struct BatchDetNode : FunctionNode {
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "BatchDet"; }
  void check_type_forward(const type_check::TypeInfos& in) const override { expect_square_matrices(in, 3); }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    return {chainer::det(x[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable a = retained_input(0), y = retained_output(0);
    return {reshape(gy[0] * y, {a.shape()[0], 1, 1}) * transpose(batch_inv(a), {0, 2, 1})};
  }
};

}  // namespace

Variable BatchDet::operator()(const Variable& a) const { return apply_single(BatchDetNode(), a); }

}  // namespace chainer::functions
