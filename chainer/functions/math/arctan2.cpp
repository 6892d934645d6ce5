// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

struct Arctan2Node : FunctionNode {
  std::string label() const override { return "arctan2"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x1", "x2"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
    type_check::expect_broadcast_shapes(in[0], in[1]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {chainer::arctan2(x[0], x[1])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    auto [a, b] = retained_inputs<2>();
    // Relative to the larger one the squares do not overflow. The size may be a constant: the quotient does not depend
    // on it.
    Array size = chainer::maximum(chainer::absolute(a.array()), chainer::absolute(b.array()));
    size = chainer::where(isfinite(size), size, ones_like(size));
    const Variable s(size, false), u = a / s, v = b / s;
    const Variable g = gy[0] / (u * u + v * v);
    return {sum_to(g * v / s, a.shape()), sum_to(-(g * u / s), b.shape())};
  }
};

}  // namespace

Variable Arctan2::operator()(const Variable& x1, const Variable& x2) const {
  if (mixed(x1, x2)) {
    const Dtype wide = promote(x1.dtype(), x2.dtype());
    return (*this)(cast(x1, wide), cast(x2, wide));
  }
  return apply_single(Arctan2Node(), x1, x2);
}

}  // namespace chainer::functions
