// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array/pick.h"

namespace chainer::functions {
namespace {

// Both the result and the gradient are views.
struct FlipNode : FunctionNode {
  explicit FlipNode(int d) : axis(d) {}
  std::string label() const override { return "Flip"; }
  Arrays forward(const Arrays& x) override {
    Indices slices(static_cast<std::size_t>(axis), Slice());
    slices.push_back(Slice(std::nullopt, std::nullopt, -1));
    return {chainer::get_item(x[0], slices)};
  }
  Variables backward(const Indexes&, const Variables& gy) override { return {apply_single(FlipNode(axis), gy[0])}; }
  int axis;
};

}  // namespace

Variable Flip::operator()(const Variable& x, int64_t axis) const {
  const int d = normalize_axis(axis, x.ndim(), "flip");
  if (CompositeRecorder::current) return pick(x, Slice(std::nullopt, std::nullopt, -1), d);
  return apply_single(FlipNode(d), x);
}

}  // namespace chainer::functions
