// SPDX-License-Identifier: MIT
#include "chainer/array/index.h"
#include "chainer/array/version.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The sum of the index arrays' version counters; a write to one of them changes it.
uint32_t writes_to(const Indices& slices) {
  uint32_t sum = 0;
  for (const Index& i : slices)
    if (const Array* a = i.get<Array>()) sum += memory_version(*a);
  return sum;
}

struct GetItemNode : FunctionNode, Described {
  explicit GetItemNode(Indices s) : slices(std::move(s)), writes(writes_to(slices)) {}
  std::string label() const override { return "GetItem"; }
  void describe(NodeAttributes& a) const override { a("slices", slices); }
  Arrays forward(const Arrays& x) override { return {chainer::get_item(x[0], slices)}; }
  Variables backward(const Indexes&, const Variables& gy) override;
  Indices slices;
  uint32_t writes;
};

// The gradient: gy scattered into zeros of x's shape.
struct GetItemGrad : FunctionNode {
  GetItemGrad(Indices s, const Shape& x) : slices(std::move(s)), shape(x) {}
  Arrays forward(const Arrays& gy) override {
    Array gx = zeros(shape, gy[0].dtype(), gy[0].device());
    add_at(gx, slices, gy[0]);
    return {gx};
  }
  Variables backward(const Indexes&, const Variables& ggx) override { return {get_item(ggx[0], slices)}; }
  Indices slices;
  Shape shape;
};

Variables GetItemNode::backward(const Indexes&, const Variables& gy) {
  if (writes_to(slices) != writes)
    throw RuntimeError(
        "backward of GetItem: an array of indices was written to in place after the forward pass, which ",
        "kept it for the gradient: write to a copy (x.copy()), or after backward()");
  return {apply_single(GetItemGrad(slices, input_shape(0)), gy[0])};
}

}  // namespace

Variable GetItem::operator()(const Variable& x, const Indices& slices) const {
  return apply_single(GetItemNode(slices), x);
}

}  // namespace chainer::functions
