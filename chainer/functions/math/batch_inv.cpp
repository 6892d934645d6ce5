// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/square_matrices.h"
#include "chainer/routines/linalg.h"

namespace chainer::functions {
namespace {

struct BatchInvNode : FunctionNode {
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "BatchInv"; }
  void check_type_forward(const type_check::TypeInfos& in) const override { expect_square_matrices(in, 3); }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {chainer::inv(x[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable y = retained_output(0);  // d(A^-1) = -A^-1 dA A^-1
    return {-matmul(matmul(y, gy[0], {.transa = true}), y, {.transb = true})};
  }
};

}  // namespace

Variable BatchInv::operator()(const Variable& a) const { return apply_single(BatchInvNode(), a); }

}  // namespace chainer::functions
