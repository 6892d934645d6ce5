// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {

struct ScatterAddNode : FunctionNode {
  explicit ScatterAddNode(Indices s) : slices(std::move(s)) {}
  std::string label() const override { return "ScatterAdd"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"a", "b"});
    type_check::expect(in[0].dtype() == in[1].dtype());
  }
  Arrays forward(const Arrays& in) override {
    Array y = in[0].copy();
    add_at(y, slices, in[1]);
    return {y};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0], sum_to(get_item(gy[0], slices), input_shape(1))};
  }
  Indices slices;
};

}  // namespace

Variable ScatterAdd::operator()(const Variable& a, const Indices& slices, const Variable& b) const {
  return apply_single(ScatterAddNode(slices), a, b);
}

}  // namespace chainer::functions
