// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

struct SplitAxisNode : FunctionNode, Described {
  SplitAxisNode(std::vector<int64_t> p, int64_t a) : positions(std::move(p)), axis(a) {}
  std::string label() const override { return "SplitAxis"; }
  void describe(NodeAttributes& a) const override { a("positions", positions)("axis", axis); }
  Arrays forward(const Arrays& x) override {
    Arrays out = split_at(x[0], positions, axis);
    for (const Array& a : out) shapes.push_back(a.shape());
    device = x[0].device();
    return out;
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    Variables parts;
    for (std::size_t i = 0; i < gy.size(); ++i)
      parts.push_back(gy[i] ? gy[i] : Variable(zeros(shapes[i], inputs()[0]->dtype(), device), false));
    return {concat(parts, axis)};
  }
  std::vector<int64_t> positions;
  std::vector<Shape> shapes;
  Device device;
  int64_t axis;
};

}  // namespace

Variables SplitAxis::operator()(const Variable& x, const std::vector<int64_t>& indices, int64_t axis) const {
  const int64_t n = x.shape(axis);
  int64_t last = 0;
  for (int64_t i : indices) {
    if (i < last || i > n)
      throw ValueError("split_axis: positions must ascend within 0 ... ", n, "; ", i, " follows ", last);
    last = i;
  }
  return apply(SplitAxisNode(indices, axis), {x});
}

Variables SplitAxis::operator()(const Variable& x, int64_t sections, int64_t axis) const {
  const int64_t n = x.shape(axis);
  if (sections <= 0 || n % sections != 0)
    throw ValueError("split_axis: ", sections, " sections do not divide axis ", axis, " of shape ", x.shape());
  std::vector<int64_t> positions;
  for (int64_t i = 1; i < sections; ++i) positions.push_back(i * (n / sections));
  return apply(SplitAxisNode(std::move(positions), axis), {x});
}

Variable Stack::operator()(const Variables& xs, int64_t axis) const {
  if (xs.empty()) throw ValueError("stack: at least one variable is needed");
  const int d = normalize_axis(axis, xs[0].ndim() + 1, "stack");
  Variables wide;
  for (const Variable& x : xs) wide.push_back(expand_dims(x, d));
  return concat(wide, d);
}

}  // namespace chainer::functions
