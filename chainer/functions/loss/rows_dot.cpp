// SPDX-License-Identifier: MIT
#include "chainer/functions/loss/rows_dot.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/autograd/function_node.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The form sum_ij g[i, j] x[i] . W[index[i, j]] is linear in each of g, x and W; each node below is its derivative with
// respect to one of them.
Variable combine(const Variable& g, const Variable& W, const Array& index);
Variable scatter(const Variable& g, const Variable& x, const Array& index, int64_t rows);

struct RowsNode : FunctionNode {
  explicit RowsNode(Array i) : index(std::move(i)) {}
  // Checks that x and W are matrices of equal width and that x has a row for each row of the index: the kernels do not.
  void check_rows(const Array& x, const Array& W) const {
    if (x.ndim() != 2 || W.ndim() != 2 || x.shape()[0] != index.shape()[0] || x.shape()[1] != W.shape()[1])
      throw DimensionError("rows_dot: W of shape ", W.shape(), " and x of shape ", x.shape(),
                           " do not fit an index of shape ", index.shape());
    if (x.dtype() != W.dtype())
      throw DtypeError("rows_dot: W and x must have the same dtype, got ", W.dtype(), " and ", x.dtype());
  }
  static bool wants(const Indexes& wanted, int i) { return std::find(wanted.begin(), wanted.end(), i) != wanted.end(); }
  Array index;
};

struct RowsDot : RowsNode {
  using RowsNode::RowsNode;
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  Arrays forward(const Arrays& in) override {
    check_rows(in[0], in[1]);
    retain_inputs({0, 1});
    Array y(index.shape(), in[0].dtype(), in[0].device());
    y.device().backend().rows_dot(in[0], in[1], index, y);
    return {y};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [x, W] = retained_inputs<2>();
    return {wants(wanted, 0) ? combine(gy[0], W, index) : Variable(),
            wants(wanted, 1) ? scatter(gy[0], x, index, W.shape()[0]) : Variable()};
  }
};

struct RowsCombine : RowsNode {
  using RowsNode::RowsNode;
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    Array y({index.shape()[0], in[1].shape()[1]}, in[0].dtype(), in[0].device());
    y.device().backend().rows_combine(in[0], in[1], index, y);
    return {y};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [g, W] = retained_inputs<2>();
    return {wants(wanted, 0) ? rows_dot(gy[0], W, index) : Variable(),
            wants(wanted, 1) ? scatter(g, gy[0], index, W.shape()[0]) : Variable()};
  }
};

struct RowsScatter : RowsNode {
  RowsScatter(Array i, int64_t r) : RowsNode(std::move(i)), rows(r) {}
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    Array y = zeros({rows, in[1].shape()[1]}, in[0].dtype(), in[0].device());
    y.device().backend().rows_scatter(in[0], in[1], index, y);
    return {y};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [g, x] = retained_inputs<2>();
    return {wants(wanted, 0) ? rows_dot(x, gy[0], index) : Variable(),
            wants(wanted, 1) ? combine(g, gy[0], index) : Variable()};
  }
  int64_t rows;
};

Variable combine(const Variable& g, const Variable& W, const Array& index) {
  return apply_single(RowsCombine(index), g, W);
}
Variable scatter(const Variable& g, const Variable& x, const Array& index, int64_t rows) {
  return apply_single(RowsScatter(index, rows), g, x);
}

}  // namespace

Variable rows_dot(const Variable& x, const Variable& W, const Array& index) {
  return apply_single(RowsDot(index), x, W);
}

}  // namespace chainer::functions
