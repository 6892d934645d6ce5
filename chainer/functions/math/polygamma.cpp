// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

struct PolygammaNode : FunctionNode {
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "PolyGamma"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"n", "x"});
    type_check::expect(in[0].dtype().kind() == 'i', in[1].dtype().kind() == 'f');
    type_check::expect_broadcast_shapes(in[0], in[1]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    if (x[0].size() && chainer::min(x[0]).item<int64_t>() < 0)
      throw ValueError("polygamma: n must not be negative, got ", chainer::min(x[0]).item<int64_t>());
    if (x[0].size() == 1 && x[0].ndim() <= x[1].ndim() && x[0].item<int64_t>() == 1) return {trigamma(x[1])};
    return {chainer::polygamma(x[0].astype(x[1].dtype()), x[1])};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [n, x] = retained_inputs<2>();
    Variables out(2);
    for (int i : wanted)
      if (i == 1) out[1] = sum_to(gy[0] * polygamma(Variable(n.array() + 1, false), x), x.shape());
    return out;
  }
};

}  // namespace

Variable Polygamma::operator()(const Variable& n, const Variable& x) const {
  return apply_single(PolygammaNode(), n, x);
}

}  // namespace chainer::functions
