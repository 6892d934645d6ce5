// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

struct ReshapeNode : FunctionNode, Described {
  explicit ReshapeNode(const Shape& s) : shape(s) {}
  std::string label() const override { return "Reshape"; }
  void describe(NodeAttributes& a) const override { a("shape", shape); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    int64_t known = 1;
    int unknown = 0;
    for (int64_t n : shape) n == -1 ? void(++unknown) : void(known *= n);
    if (unknown == 0)
      type_check::expect(type_check::prod(in[0].shape()) == type_check::make_variable(known, "prod(shape)"));
    else if (known > 0)
      type_check::expect(type_check::prod(in[0].shape()) %
                             type_check::make_variable(known, "known_size(=" + std::to_string(known) + ")") ==
                         0);
  }
  Arrays forward(const Arrays& x) override { return {x[0].reshape(shape)}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {reshape(gy[0], input_shape(0))}; }
  Shape shape;
};

}  // namespace

Variable Reshape::operator()(const Variable& x, const Shape& shape) const {
  return x.shape() == shape ? x : apply_single(ReshapeNode(shape), x);
}
Variable Flatten::operator()(const Variable& x) const { return reshape(x, {x.size()}); }

Variable ExpandDims::operator()(const Variable& x, int64_t axis) const {
  Shape s = x.shape();
  s.insert(normalize_axis(axis, x.ndim() + 1, "expand_dims"), 1);
  return reshape(x, s);
}

Variable Squeeze::operator()(const Variable& x, const Axes& axis) const {
  return reshape(x, chainer::squeeze(x.array(), axis).shape());
}

}  // namespace chainer::functions
