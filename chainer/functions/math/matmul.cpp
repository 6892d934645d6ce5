// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

Array swapped(const Array& a, bool transpose) { return transpose && a.ndim() > 1 ? chainer::swapaxes(a, -1, -2) : a; }

struct MatMulNode : FunctionNode, Described {
  explicit MatMulNode(const MatmulOptions& o) : options(o) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::narrow; }
  std::string label() const override { return "MatMul"; }
  void describe(NodeAttributes& a) const override { a("transa", options.transa)("transb", options.transb); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"a", "b"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
    type_check::expect(in[0].ndim() >= 1, in[1].ndim() >= 1);
    const int64_t na = in[0].ndim().eval(), nb = in[1].ndim().eval();
    type_check::expect(in[0].shape(options.transa && na > 1 ? -2 : -1) ==
                       in[1].shape(nb == 1 || options.transb ? -1 : -2));
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {chainer::matmul(swapped(x[0], options.transa), swapped(x[1], options.transb))};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [a, b] = retained_inputs<2>();
    const bool ta = options.transa && a.ndim() > 1, tb = options.transb && b.ndim() > 1;
    // Vectors are treated as matrices of one row (a) or one column (b).
    const Variable a2 = a.ndim() == 1 ? expand_dims(a, 0) : a, b2 = b.ndim() == 1 ? expand_dims(b, 1) : b;
    Variable g = gy[0];
    if (b.ndim() == 1) g = expand_dims(g, g.ndim());
    if (a.ndim() == 1) g = expand_dims(g, g.ndim() - 1);
    Variables out(2);
    for (int i : wanted) {
      if (i == 0) {
        const Variable ga = ta ? matmul(b2, g, {.transa = tb, .transb = true}) : matmul(g, b2, {.transb = !tb});
        out[0] = reshape(sum_to(ga, fit(ga, a2)), a.shape());
      } else {
        const Variable gb = tb ? matmul(g, a2, {.transa = true, .transb = ta}) : matmul(a2, g, {.transa = !ta});
        out[1] = reshape(sum_to(gb, fit(gb, b2)), b.shape());
      }
    }
    return out;
  }
  // The shape that g is summed to: that of x, without leading axes that g lacks.
  static Shape fit(const Variable& g, const Variable& x) {
    Shape s = x.shape();
    while (s.ndim() > g.ndim()) s.erase(0);
    return s;
  }
  MatmulOptions options;
};

}  // namespace

Variable Matmul::operator()(const Variable& a, const Variable& b, const MatmulOptions& o) const {
  if (mixed(a, b)) {
    const Dtype wide = promote(a.dtype(), b.dtype());
    return apply_single(MatMulNode(o), cast(a, wide), cast(b, wide));
  }
  return apply_single(MatMulNode(o), a, b);
}

}  // namespace chainer::functions
