// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math/without_gradient.h"

namespace chainer::functions {
namespace {

struct CastNode : FunctionNode, Described {
  explicit CastNode(Dtype d) : dtype(d) {}
  std::string label() const override { return "Cast"; }
  void describe(NodeAttributes& a) const override { a("dtype", dtype); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override { return {x[0].astype(dtype)}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {cast(gy[0], inputs()[0]->dtype())}; }
  Dtype dtype;
};

}  // namespace

Variable Cast::operator()(const Variable& x, Dtype dtype) const {
  if (x.dtype() == dtype) return x;
  if (!is_floating(x.dtype()) || !is_floating(dtype)) return without_gradient("Cast", x, x.array().astype(dtype));
  return apply_single(CastNode(dtype), x);
}

}  // namespace chainer::functions

chainer::Variable chainer::cast_variable(const Variable& v, Dtype dtype) { return functions::cast(v, dtype); }
