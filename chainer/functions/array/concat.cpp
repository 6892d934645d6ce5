// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

struct ConcatNode : FunctionNode, Described {
  explicit ConcatNode(int64_t a) : axis(a) {}
  std::string label() const override { return "Concat"; }
  void describe(NodeAttributes& a) const override { a("axis", axis); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    using type_check::expect;
    expect(in.size() > 0);
    expect(type_check::make_variable(axis, "axis") < in[0].ndim(),
           -in[0].ndim().eval() <= type_check::make_variable(axis, "axis"));
    const int64_t d = axis < 0 ? axis + in[0].ndim().eval() : axis;
    for (std::size_t i = 1; i < in.count(); ++i) {
      const auto k = static_cast<int64_t>(i);
      expect(in[0].dtype() == in[k].dtype(), in[0].ndim() == in[k].ndim());
      for (int64_t j = 0; j < in[0].ndim().eval(); ++j)
        if (j != d) expect(in[0].shape(j) == in[k].shape(j));
    }
  }
  Arrays forward(const Arrays& xs) override { return {concatenate(xs, axis)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (inputs().size() == 1) return gy;
    std::vector<int64_t> positions;
    int64_t at = 0;
    const int d = normalize_axis(axis, gy[0].ndim(), "concat");
    for (std::size_t i = 0; i + 1 < inputs().size(); ++i)
      positions.push_back(at += input_shape(static_cast<int>(i))[d]);
    return split_axis(gy[0], positions, axis);
  }
  int64_t axis;
};

}  // namespace

Variable Concat::operator()(const Variables& xs, int64_t axis) const {
  if (xs.empty()) throw ValueError("concat: at least one variable is needed");
  return apply(ConcatNode(axis), xs)[0];
}

}  // namespace chainer::functions
