// SPDX-License-Identifier: MIT
#include "chainer/routines/im2col.h"

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {

// im2col and col2im are each other's gradient.
struct Im2ColNode : FunctionNode {
  explicit Im2ColNode(const PatchGeometry& g) : geometry(g) {}
  std::string label() const override { return "Im2Col"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
  }
  Arrays forward(const Arrays& x) override { return {chainer::im2col(x[0], geometry)}; }
  Variables backward(const Indexes&, const Variables& gy) override;
  PatchGeometry geometry;
};
struct Col2ImNode : FunctionNode {
  Col2ImNode(const PatchGeometry& g, IntPair s) : geometry(g), size(s) {}
  std::string label() const override { return "Col2Im"; }
  Arrays forward(const Arrays& x) override { return {chainer::col2im(x[0], geometry, size)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(Im2ColNode(geometry), gy[0])};
  }
  PatchGeometry geometry;
  IntPair size;
};
Variables Im2ColNode::backward(const Indexes&, const Variables& gy) {
  return {apply_single(Col2ImNode(geometry, {input_shape(0)[2], input_shape(0)[3]}), gy[0])};
}

}  // namespace

Variable Im2col::operator()(const Variable& x, IntPair ksize, const Im2colOptions& o) const {
  const Variable y = apply_single(Im2ColNode({ksize, o.stride, o.pad, o.cover_all, o.dilate}), x);
  const Shape& s = y.shape();
  return y.reshape({s[0], s[1] * s[2] * s[3], s[4], s[5]});
}

}  // namespace chainer::functions
