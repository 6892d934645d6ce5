// SPDX-License-Identifier: MIT
// Reductions, matrix products by kernels, rows by index.
#include <algorithm>
#include <array>

#include "chainer/array/order.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/gemm.h"
#include "chainer/backend/cuda/kernels/reduce.h"
#include "chainer/backend/cuda/kernels/rows.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

constexpr unsigned kMostBlocks = 132 * 16;

// Returns the arguments of a reduction over `axes`; in the result they have length one or are absent.
ReduceArgs reduction(const Array& a, const Dims& axes, Array& out, int op) {
  const void* from = a.raw();
  void* to = out.mutable_raw();
  const Strides in = a.strides(), out_strides = out.strides();
  const bool keeps = out.ndim() == a.ndim();
  Shape kept, reduced;
  Strides kept_in, kept_out, reduced_in;
  int position = 0;
  for (int d = 0; d < a.ndim(); ++d) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!is_reduced) {
      kept.push_back(a.shape()[d]), kept_in.push_back(in[d]);
      kept_out.push_back(out_strides[keeps ? d : position]);
    }
    position += !is_reduced || keeps;
  }
  // In memory order, as in programs of deferred evaluation.
  for (const int64_t d : memory_order(a))
    if (std::find(axes.begin(), axes.end(), d) != axes.end())
      reduced.push_back(a.shape()[d]), reduced_in.push_back(in[d]);
  const auto k = make_loop<2>(kept, {&kept_in, &kept_out}, 2);
  const auto r = make_loop<1>(reduced, {&reduced_in}, 1, false);
  ReduceArgs args{};
  args.kept = space_of(k), args.reduced = space_of(r);
  args.in_kept = operand_of(k, 0, from, a.dtype()), args.in_reduced = operand_of(r, 0, from, a.dtype());
  args.out = operand_of(k, 1, to, out.dtype());
  args.op = op;
  return args;
}
Dim3 warps_for(uint32_t results) { return {std::min((results + 3) / 4, kMostBlocks), 1, 1}; }

}  // namespace

void CudaBackend::reduce(Reduce op, const Array& a, const Dims& axes, Array& out) {
  if (out.size() == 0) return;
  const ReduceArgs args = reduction(a, axes, out, static_cast<int>(op));
  const bool floating = is_floating(a.dtype());
  const int index = out.device().index();
  if (args.reduced.size > 256)
    launch(index, floating ? "reduce_by_blocks_float64" : "reduce_by_blocks_int64",
           {std::min(args.kept.size, kMostBlocks), 1, 1}, {256, 1, 1}, args);
  else
    launch(index, floating ? "reduce_by_warps_float64" : "reduce_by_warps_int64", warps_for(args.kept.size), {32, 4, 1},
           args);
}

void CudaBackend::arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) {
  if (out.size() == 0) return;
  const ReduceArgs args = reduction(a, Dims{axis}, out, static_cast<int>(op));
  launch(out.device().index(), is_floating(a.dtype()) ? "arg_reduce_float64" : "arg_reduce_int64",
         warps_for(args.kept.size), {32, 4, 1}, args);
}

void CudaBackend::multiply_by_kernel(const ProductCall& c, int index) {
  const auto matrices = [&](const ProductCall::Matrices& m) {
    const int64_t bytes = item_size(c.dtype);
    const int axes = m.shape.ndim();
    return GemmArgs::Matrices{static_cast<char*>(m.data), axes == 3 ? m.strides[0] * bytes : 0,
                              m.strides[axes - 2] * bytes, m.strides[axes - 1] * bytes};
  };
  const int axes = c.a.shape.ndim();
  GemmArgs args{};
  args.a = matrices(c.a), args.b = matrices(c.b), args.out = matrices(c.out);
  args.type = type_of(c.dtype);
  args.m = c.a.shape[axes - 2], args.k = c.a.shape[axes - 1], args.n = c.b.shape[axes - 1];
  args.alpha = c.alpha, args.beta = c.beta;
  const auto tiles = [](int64_t n) { return static_cast<unsigned>((n + kGemmTile - 1) / kGemmTile); };
  const unsigned down = std::min(tiles(args.m), 65535u);
  // A launch processes at most 65535 matrices of a stack.
  for (int64_t first = 0, count = axes == 3 ? c.a.shape[0] : 1; first < count; first += 65535) {
    const auto n = static_cast<unsigned>(std::min<int64_t>(count - first, 65535));
    launch(index, kernel_for("gemm", c.dtype), {tiles(args.n), down, n}, {kGemmTile, kGemmTile, 1}, args);
    for (auto* m : {&args.a, &args.b, &args.out}) m->data += m->stack * 65535;
  }
}

namespace {

// Returns true if the list's axes are those of the index and of a row; otherwise both are passed as flat arrays, and
// the written one is contiguous.
bool are_rows(const Array& list, const Array& index, const Array& table) {
  if (list.ndim() != index.ndim() + table.ndim() - 1) return false;
  for (int d = 0; d < index.ndim(); ++d)
    if (list.shape()[d] != index.shape()[d]) return false;
  return true;
}

// Returns the arguments for the rows of `list`, whose numbers in `table` are in the index.
RowsArgs rows(const Array& table, const void* table_data, const Array& index, const Array& list,
              const void* list_data) {
  const int n = index.ndim();
  const Strides list_strides = list.strides(), table_strides = table.strides(), of_index = index.strides();
  Shape row;
  Strides list_row, table_row, list_rows;
  for (int d = 0; d < list.ndim(); ++d) {
    if (d < n) {
      list_rows.push_back(list_strides[d]);
      continue;
    }
    row.push_back(list.shape()[d]);
    list_row.push_back(list_strides[d]);
    table_row.push_back(table_strides[d - n + 1]);
  }
  const auto outer = make_loop<2>(index.shape(), {&of_index, &list_rows}, 2, false);
  const auto inner = make_loop<2>(row, {&list_row, &table_row}, 2, false);
  RowsArgs args{};
  args.rows = space_of(outer), args.row = space_of(inner);
  args.index = operand_of(outer, 0, index.raw(), index.dtype());
  args.list_rows = operand_of(outer, 1, list_data, list.dtype());
  args.list = operand_of(inner, 0, list_data, list.dtype());
  args.table = operand_of(inner, 1, table_data, table.dtype());
  args.step = table_strides[0] * item_size(table.dtype());
  args.parts = 1;
  return args;
}

}  // namespace

void CudaBackend::take_rows(const Array& a, const Array& index, Array& out) {
  if (out.size() == 0) return;
  if (!are_rows(out, index, a)) {
    Array flat = out.reshape({index.size(), out.size() / index.size()});
    return take_rows(a.reshape({a.shape()[0], flat.shape()[1]}), index.reshape({index.size()}), flat);
  }
  const void* from = a.raw();
  RowsArgs args = rows(a, from, index, out, out.mutable_raw());
  args.list.data = nullptr;  // list_rows has it
  const Threads t(out.size());
  launch(out.device().index(), kernel_for("take_rows", a.dtype()), t.grid, t.block, args);
}

void CudaBackend::scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) {
  if (values.size() == 0) return;
  if (!are_rows(values, index, out)) {
    const int64_t width = values.size() / index.size();
    Array flat = out.reshape({out.shape()[0], width});
    return scatter_rows(flat, index.reshape({index.size()}), values.reshape({index.size(), width}), accumulate);
  }
  const void* from = values.raw();
  RowsArgs args = rows(out, out.mutable_raw(), index, values, from);
  args.list.data = nullptr;
  args.parts = std::clamp(args.rows.size / 64, 1u, 32u);
  Threads t(args.row.size);
  t.grid.y = args.parts;
  launch(out.device().index(), kernel_for(accumulate ? "add_rows" : "put_rows", out.dtype()), t.grid, t.block, args);
}

}  // namespace chainer::cuda
