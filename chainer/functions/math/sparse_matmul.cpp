// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/sparse.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/mixed.h"
#include "chainer/functions/sparse.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The positions of the entries: entry i adds to row `row` of the result a multiple of row `col` of the dense operand.
struct Positions {
  Array row, col;  // (batch, nnz), int32
  int64_t rows;    // of the result
  Positions swapped(int64_t new_rows) const { return {col, row, new_rows}; }
  Positions on(const Device& d) const { return {dense(row.to_device(d), int32), dense(col.to_device(d), int32), rows}; }
};

Array multiply(const Array& data, const Positions& p, const Array& x) {
  const Dtype d = compute_dtype(x.dtype());
  const Device device = x.device();
  const Shape shape{x.shape()[0], p.rows, x.shape()[2]};
  const Positions at = p.on(device);
  Array c = device.is_host() ? zeros(shape, d) : Array(shape, d, device);
  if (device.is_host())
    host_kernels::coo_multiply(dense(data, d), at.row, at.col, dense(x, d), c);
  else if (!device.backend().coo_multiply(dense(data, d), at.row, at.col, dense(x, d), c))
    return through_host([&](const Array& from, const Array& y) { return multiply(from, p, y); }, data, x);
  return c.astype(x.dtype(), false);
}

// For each entry, the dot product of row `row` of g and row `col` of x.
Array sampled(const Array& g, const Positions& p, const Array& x) {
  const Device device = g.device();
  const Positions at = p.on(device);
  if (!device.is_host()) {
    const Dtype d = compute_dtype(g.dtype());
    Array out(at.row.shape(), float64, device);
    if (device.backend().coo_sampled(dense(g, d), at.row, at.col, dense(x, d), out))
      return out.astype(g.dtype(), false);
    return through_host([&](const Array& h, const Array& y) { return sampled(h, p, y); }, g, x);
  }
  Array out = zeros(p.row.shape(), float64);
  host_kernels::coo_sampled(dense(g, float64), at.row, at.col, dense(x, float64), out);
  return out.astype(g.dtype(), false);
}

Variable multiply(const Variable& data, const Positions& p, const Variable& x);
Variable sampled(const Variable& g, const Positions& p, const Variable& x);

// The form sum over entries of data * g[row] . x[col] is linear in data, g and x: the two nodes are its derivatives.
struct CooMatMul : FunctionNode {
  explicit CooMatMul(Positions q) : p(std::move(q)) {}
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {multiply(in[0], p, in[1])};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [data, x] = retained_inputs<2>();
    Variables out(2);
    for (int i : wanted)
      out[static_cast<std::size_t>(i)] = i == 0 ? sampled(gy[0], p, x) : multiply(data, p.swapped(x.shape()[1]), gy[0]);
    return out;
  }
  Positions p;
};
struct CooMatMulGradSP : FunctionNode {
  explicit CooMatMulGradSP(Positions q) : p(std::move(q)) {}
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {sampled(in[0], p, in[1])};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [g, x] = retained_inputs<2>();
    Variables out(2);
    for (int i : wanted)
      out[static_cast<std::size_t>(i)] = i == 0 ? multiply(gy[0], p, x) : multiply(gy[0], p.swapped(x.shape()[1]), g);
    return out;
  }
  Positions p;
};
Variable multiply(const Variable& data, const Positions& p, const Variable& x) {
  return apply_single(CooMatMul(p), data, x);
}
Variable sampled(const Variable& g, const Positions& p, const Variable& x) {
  return apply_single(CooMatMulGradSP(p), g, x);
}

// a b for a sparse a; both have a batch axis or neither has. `operands` names them in error messages.
Variable product(const utils::CooMatrix& a, bool transa, const Variable& b, std::string_view operands) {
  const bool batched = a.data.ndim() == 2;
  const int64_t m = a.shape[transa ? 1 : 0], k = a.shape[transa ? 0 : 1];
  if (b.ndim() != (batched ? 3 : 2) || b.shape(-2) != k || (batched && b.shape()[0] != a.data.shape()[0]))
    throw DimensionError("sparse_matmul: ", operands, " do not fit: sparse ", batched ? "batch of " : "", a.shape,
                         transa ? " (transposed)" : "", " and dense ", b.shape());
  if (Variables both{a.data, b}; cast_in_mixed_precision(MixedPrecision::widest, both)) {
    utils::CooMatrix same = a;
    same.data = both[0];
    return product(same, transa, both[1], operands);
  }
  if (a.data.dtype() != b.dtype() || !is_floating(b.dtype()))
    throw TypeError("sparse_matmul: both operands must have the same floating dtype, got ", a.data.dtype(), " and ",
                    b.dtype());
  const int64_t batch = batched ? b.shape()[0] : 1;
  Positions p = Positions{a.row.reshape({batch, -1}), a.col.reshape({batch, -1}), m}.on(b.device());
  if (transa) p = p.swapped(m);
  const Variable y = multiply(a.data.reshape({batch, a.data.shape(-1)}), p, b.reshape({batch, k, b.shape(-1)}));
  return batched ? y : y.reshape({m, b.shape(-1)});
}

Variable last_axes_swapped(const Variable& x) {
  Dims axes;
  for (int i = 0; i < x.ndim() - 2; ++i) axes.push_back(i);
  axes.push_back(x.ndim() - 1), axes.push_back(x.ndim() - 2);
  return transpose(x, axes);
}

}  // namespace

Variable SparseMatmul::operator()(const utils::CooMatrix& a, const Variable& b, const MatmulOptions& o) const {
  if (b.ndim() < 2) throw DimensionError("sparse_matmul: b must be a matrix, got shape ", b.shape());
  return product(a, o.transa, o.transb ? last_axes_swapped(b) : b, "a and b");
}

Variable SparseMatmul::operator()(const Variable& a, const utils::CooMatrix& b, const MatmulOptions& o) const {
  if (a.ndim() < 2) throw DimensionError("sparse_matmul: a must be a matrix, got shape ", a.shape());
  // a b = (b^T a^T)^T, so that the sparse operand comes first.
  return last_axes_swapped(product(b, !o.transb, o.transa ? a : last_axes_swapped(a), "b and a"));
}

}  // namespace chainer::functions
