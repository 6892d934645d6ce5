// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

struct CumsumNode : FunctionNode, Described {
  explicit CumsumNode(int64_t d) : axis(d) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "Cumsum"; }
  void describe(NodeAttributes& a) const override { a("axis", axis); }
  Arrays forward(const Arrays& x) override { return {chainer::cumsum(x[0], axis)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {flip(cumsum(flip(gy[0], axis), axis), axis)};
  }
  int64_t axis;
};

}  // namespace

Variable Cumsum::operator()(const Variable& x, std::optional<int64_t> axis) const {
  type_check::check("Cumsum", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  });
  if (!axis) return apply_single(CumsumNode(0), flatten(x));
  return apply_single(CumsumNode(normalize_axis(*axis, x.ndim(), "cumsum")), x);
}

}  // namespace chainer::functions
