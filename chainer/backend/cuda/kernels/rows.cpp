// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/rows.h"

namespace chainer::cuda {
namespace {

DEVICE int64_t index_of(const RowsArgs& a, uint32_t i) {
  return load<int64_t>(a.index.data + offset(a.rows, a.index, i), a.index.type);
}

// Copies row index[i] of the table to row i of the list: one thread per element of the list.
template <class T>
DEVICE void take_rows(const RowsArgs& a) {
  const int64_t size = int64_t(a.rows.size) * a.row.size;
  for (int64_t n = first_element(); n < size; n += element_step()) {
    const uint32_t i = static_cast<uint32_t>(n / a.row.size), k = static_cast<uint32_t>(n % a.row.size);
    const char* from = a.table.data + index_of(a, i) * a.step + offset(a.row, a.table, k);
    char* to = a.list_rows.data + offset(a.rows, a.list_rows, i) + offset(a.row, a.list, k);
    store(to, a.list.type, load<T>(from, a.table.type));
  }
}

// Stores or adds row i of the list to row index[i] of the table, in the order of i: one thread per element of a row and
// part of the table's rows, so that threads write to different elements.
template <class T>
DEVICE void put_rows(const RowsArgs& a, bool add) {
  for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < a.row.size; k += gridDim.x * blockDim.x) {
    const int64_t from = offset(a.row, a.list, k), to = offset(a.row, a.table, k);
    for (uint32_t i = 0; i < a.rows.size; ++i) {
      const int64_t target = index_of(a, i);
      if (target % a.parts != blockIdx.y) continue;
      T v = load<T>(a.list_rows.data + offset(a.rows, a.list_rows, i) + from, a.list.type);
      char* at = a.table.data + target * a.step + to;
      if (add) v = load<T>(at, a.table.type) + v;
      store(at, a.table.type, v);
    }
  }
}

}  // namespace

KERNEL(take_rows_float32, RowsArgs) { take_rows<float>(a); }
KERNEL(take_rows_float64, RowsArgs) { take_rows<double>(a); }
KERNEL(take_rows_int64, RowsArgs) { take_rows<int64_t>(a); }
KERNEL(put_rows_float32, RowsArgs) { put_rows<float>(a, false); }
KERNEL(put_rows_float64, RowsArgs) { put_rows<double>(a, false); }
KERNEL(put_rows_int64, RowsArgs) { put_rows<int64_t>(a, false); }
KERNEL(add_rows_float32, RowsArgs) { put_rows<float>(a, true); }
KERNEL(add_rows_float64, RowsArgs) { put_rows<double>(a, true); }
KERNEL(add_rows_int64, RowsArgs) { put_rows<int64_t>(a, true); }

}  // namespace chainer::cuda
