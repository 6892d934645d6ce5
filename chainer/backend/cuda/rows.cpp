// SPDX-License-Identifier: MIT
// Rows by index.
#include <algorithm>
#include <bit>

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/rows.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
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
  return args;
}

// Blocks of 256 threads over elements of a row and rows.
struct RowThreads {
  Dim3 grid, block;
  RowThreads(const RowsArgs& a, unsigned across) {
    block = {across, 256 / across, 1};
    grid.x = blocks_for((a.rows.size + block.y - 1) / block.y);
    grid.y = std::clamp(std::min((a.row.size + across - 1) / across, kMostBlocks / grid.x), 1u, 65535u);
  }
};
unsigned threads_across(const RowsArgs& a) { return std::clamp(std::bit_ceil(a.row.size), 1u, 256u); }

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
  const RowThreads t(args, threads_across(args));
  launch(out.device().index(), kernel_for("take_rows", a.dtype()), t.grid, t.block, args);
}

void CudaBackend::scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) {
  combine_rows(out, index, values, accumulate ? "add" : "put");
}
void CudaBackend::scatter_largest(Array& out, const Array& index, const Array& values) {
  combine_rows(out, index, values, "largest");
}

// Calls the kernels NAME_rows, or NAME_few_rows (not for "largest").
void CudaBackend::combine_rows(Array& out, const Array& index, const Array& values, const std::string& name) {
  if (values.size() == 0) return;
  if (!are_rows(values, index, out)) {
    const int64_t width = values.size() / index.size();
    Array flat = out.reshape({out.shape()[0], width});
    return combine_rows(flat, index.reshape({index.size()}), values.reshape({index.size(), width}), name);
  }
  const void* from = values.raw();
  RowsArgs args = rows(out, out.mutable_raw(), index, values, from);
  args.list.data = nullptr;
  const int index_of_device = out.device().index();
  if (args.rows.size <= 32 && name != "largest") {
    const Threads t(args.row.size);
    return launch(index_of_device, kernel_for((name + "_few_rows").c_str(), out.dtype()), t.grid, t.block, args);
  }
  const bool lists = name != "put";
  Array found({lists ? 2 : 1, out.shape()[0]}, int32, out.device()), next;
  fill(found, -1);
  args.heads = static_cast<int*>(found.mutable_raw());
  if (lists) {
    next = Array({index.size()}, int32, out.device());
    args.counts = args.heads + out.shape()[0];
    args.next = static_cast<int*>(next.mutable_raw());
  }
  const Threads each(args.rows.size);
  launch(index_of_device, "find_rows", each.grid, each.block, args);
  RowThreads t(args, lists ? 32 : threads_across(args));
  t.grid.y = lists ? 1 : t.grid.y;
  launch(index_of_device, kernel_for((name + "_rows").c_str(), out.dtype()), t.grid, t.block, args);
}

}  // namespace chainer::cuda
