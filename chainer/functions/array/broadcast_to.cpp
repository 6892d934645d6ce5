// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

struct BroadcastToNode : FunctionNode, Described {
  explicit BroadcastToNode(const Shape& s) : shape(s) {}
  std::string label() const override { return "BroadcastTo"; }
  void describe(NodeAttributes& a) const override { a("shape", shape); }
  Arrays forward(const Arrays& x) override { return {chainer::broadcast_to(x[0], shape)}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {sum_to(gy[0], input_shape(0))}; }
  Shape shape;
};

}  // namespace

Variable BroadcastTo::operator()(const Variable& x, const Shape& shape) const {
  return x.shape() == shape ? x : apply_single(BroadcastToNode(shape), x);
}

Variables Broadcast::operator()(const Variables& xs) const {
  Shape shape;
  for (const Variable& x : xs) shape = broadcast_shapes(shape, x.shape(), "broadcast");
  Variables out;
  for (const Variable& x : xs) out.push_back(broadcast_to(x, shape));
  return out;
}

}  // namespace chainer::functions
