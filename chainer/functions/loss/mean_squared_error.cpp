// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {
struct MeanSquaredErrorNode : FunctionNode {
  std::string label() const override { return "MeanSquaredError"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x0", "x1"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {chainer::mean(chainer::square(x[0] - x[1]))};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    auto [a, b] = retained_inputs<2>();
    const Variable g = broadcast_to(gy[0] * (2.0 / static_cast<double>(a.size())), a.shape()) * (a - b);
    return {g, -g};
  }
};
}  // namespace

Variable MeanSquaredError::operator()(const Variable& x0, const Variable& x1) const {
  if (are_narrow(x0, x1)) return (*this)(widened(x0), widened(x1));
  // Squares overflow 16-bit dtypes, and an element's share of the mean underflows.
  if (item_size(x0.dtype()) == 2 && is_floating(x0.dtype()) && x1.dtype() == x0.dtype())
    return cast((*this)(cast(x0, float32), cast(x1, float32)), x0.dtype());
  return apply_single(MeanSquaredErrorNode(), x0, x1);
}

}  // namespace chainer::functions
