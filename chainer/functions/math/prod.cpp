// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

// The product of all elements before each one along axis 0.
Variable before(const Variable& x) {
  const Variable all = cumprod(x, 0);
  return concat({ones_like(all.array()[Slice(0, 1)]), all[Slice(0, -1)]}, 0);
}

struct ProdNode : FunctionNode, Described {
  ProdNode(Axes a, bool k) : axis(std::move(a)), keepdims(k) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "Prod"; }
  void describe(NodeAttributes& a) const override { a("axes", axis)("keepdims", keepdims); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    return {chainer::prod(x[0], axis, keepdims)};
  }
  // Returns true if y / x is a safe product of the other elements: no product is zero, infinite or close to either.
  static bool divides(const Array& y) {
    if (y.size() == 0 || (y.dtype() != Dtype::float32 && y.dtype() != Dtype::float64)) return false;
    const double limit = y.dtype() == Dtype::float32 ? 1e30 : 1e290;
    const Array sizes = abs(y);
    const double least = chainer::min(sizes).item<double>(), most = chainer::max(sizes).item<double>();
    return least >= 1 / limit && most <= limit;  // false if there is a NaN
  }
  // The gradient is the product of the other elements. In general it is computed without division: elements may be
  // zero.
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    if (x.size() == 0) return {x * 0.0};
    const Dims reduced = axis.normalized(x.ndim(), "prod");
    if (const Array y = retained_output(0).array(); !config().enable_backprop && divides(y)) {
      Shape wide = x.shape();
      for (int64_t d : reduced) wide[d] = 1;
      return {Variable(gy[0].array().reshape(wide) * (y.reshape(wide) / x.array()), false)};
    }
    Dims order(reduced), inverse = Dims::filled(x.ndim(), 0);
    Shape kept;
    int64_t count = 1;
    for (int64_t d : reduced) count *= x.shape()[d];
    for (int d = 0; d < x.ndim(); ++d)
      if (std::find(reduced.begin(), reduced.end(), d) == reduced.end())
        order.push_back(d), kept.push_back(x.shape()[d]);
    for (int d = 0; d < x.ndim(); ++d) inverse[order[d]] = d;
    const Variable moved = x.ndim() ? transpose(x, order) : x;
    Shape flat = kept;
    flat.insert(0, count);
    const Variable line = reshape(moved, flat);
    const Variable others = before(line) * flip(before(flip(line, 0)), 0);
    const Variable g = others * reshape(gy[0], kept);
    const Variable back = reshape(g, moved.shape());
    return {x.ndim() ? transpose(back, inverse) : back};
  }
  Axes axis;
  bool keepdims;
};

}  // namespace

Variable Prod::operator()(const Variable& x, const Axes& axis, const ReduceOptions& o) const {
  return apply_single(ProdNode(axis, o.keepdims), x);
}

}  // namespace chainer::functions
