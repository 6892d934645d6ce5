// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/rows.h"

namespace chainer::cuda {
namespace {

constexpr uint32_t kAll = 0xffffffffu;

DEVICE int64_t index_of(const RowsArgs& a, uint32_t i) {
  return load<int64_t>(a.index.data + offset(a.rows, a.index, i), a.index.type);
}
DEVICE char* row_of_list(const RowsArgs& a, uint32_t i) { return a.list_rows.data + offset(a.rows, a.list_rows, i); }

// Calls f(i, k) for the elements k of the rows i of the list.
template <class F>
DEVICE void over_rows(const RowsArgs& a, F&& f) {
  for (uint32_t i = blockIdx.x * blockDim.y + threadIdx.y; i < a.rows.size; i += gridDim.x * blockDim.y)
    for (uint32_t k = blockIdx.y * blockDim.x + threadIdx.x; k < a.row.size; k += gridDim.y * blockDim.x) f(i, k);
}

// Copies row index[i] of the table to row i of the list.
template <class T>
DEVICE void take_rows(const RowsArgs& a) {
  over_rows(a, [&](uint32_t i, uint32_t k) {
    const char* from = a.table.data + index_of(a, i) * a.step + offset(a.row, a.table, k);
    store(row_of_list(a, i) + offset(a.row, a.list, k), a.list.type, load<T>(from, a.table.type));
  });
}

// Copies row i of the list to row index[i] of the table, if i is the last one with this index.
template <class T>
DEVICE void put_rows(const RowsArgs& a) {
  over_rows(a, [&](uint32_t i, uint32_t k) {
    const int64_t target = index_of(a, i);
    if (a.heads[target] != static_cast<int>(i)) return;
    store(a.table.data + target * a.step + offset(a.row, a.table, k), a.table.type,
          load<T>(row_of_list(a, i) + offset(a.row, a.list, k), a.list.type));
  });
}

// Returns v as it would be read back after a store.
template <class T>
DEVICE T rounded(T v, Type type) {
  switch (type) {
    case Type::float16: return static_cast<T>(half_to_float(float_to_half(static_cast<float>(v))));
    case Type::bfloat16: return static_cast<T>(bfloat_to_float(float_to_bfloat(static_cast<float>(v))));
    case Type::int32: return static_cast<T>(static_cast<int32_t>(v));
    case Type::int16: return static_cast<T>(static_cast<int16_t>(v));
    case Type::int8: return static_cast<T>(static_cast<int8_t>(v));
    case Type::uint8: return static_cast<T>(static_cast<uint8_t>(v));
    default: return v;
  }
}

enum class Combine { sum, largest };

// Adds rows of the list to a row of the table, in the order of the calls of `add`, rounded as separate additions are,
// or takes the largest elements; NaN wins.
template <class T, Combine combine>
struct Combined {
  const RowsArgs& a;
  char* to;
  int64_t from;
  T total;
  DEVICE Combined(const RowsArgs& args, int64_t target, uint32_t k) : a(args) {
    to = a.table.data + target * a.step + offset(a.row, a.table, k);
    from = offset(a.row, a.list, k);
    total = load<T>(to, a.table.type);
  }
  DEVICE T row(uint32_t i) const { return load<T>(row_of_list(a, i) + from, a.list.type); }
  DEVICE void add(uint32_t i) {
    const T v = row(i);
    if (combine == Combine::sum)
      total = rounded(total + v, a.table.type);
    else if (v > total || v != v)
      total = v;
  }
  DEVICE void write() { store(to, a.table.type, total); }
};

// Adds the list's rows to row `target` of the table, whose list begins with `head`, by a warp. The numbers of up to 32
// rows are sorted; for more rows, all indices are searched in order.
template <class T, Combine combine>
DEVICE void add_to_row(const RowsArgs& a, int64_t target, int head, int count) {
  const int lane = threadIdx.x;
  int mine = 0x7fffffff, rank = 0;
  if (count <= 32) {
    for (int n = 0, at = head; n < count; ++n, at = a.next[at])
      if (n == lane) mine = at;
    for (int n = 0; n < count; ++n) rank += __shfl_sync(kAll, mine, n) < mine;
  }
  for (uint32_t first = 0; first < a.row.size; first += 32) {
    const uint32_t k = first + lane;
    const bool is_inside = k < a.row.size;
    Combined<T, combine> sum(a, target, is_inside ? k : 0);
    if (count <= 32) {
      for (int n = 0; n < count; ++n) {
        const int owner = __ffs(static_cast<int>(__ballot_sync(kAll, rank == n && lane < count))) - 1;
        const int i = __shfl_sync(kAll, mine, owner);
        if (is_inside) sum.add(static_cast<uint32_t>(i));
      }
    } else {
      for (uint32_t begin = 0; begin < a.rows.size; begin += 32) {
        const uint32_t i = begin + lane;
        uint32_t found = __ballot_sync(kAll, i < a.rows.size && index_of(a, i) == target);
        for (; found != 0; found &= found - 1)
          if (is_inside) sum.add(begin + static_cast<uint32_t>(__ffs(static_cast<int>(found))) - 1);
      }
    }
    if (is_inside) sum.write();
  }
}

// The rows of the table whose list begins in a group of the list's rows are processed by a warp. Short rows to which a
// single one is added are processed by a thread each.
template <class T, Combine combine = Combine::sum>
DEVICE void add_rows(const RowsArgs& a) {
  const bool are_short = a.row.size <= 8;
  const uint32_t group = are_short ? 32 : 4, lane = threadIdx.x;
  for (uint32_t begin = (blockIdx.x * blockDim.y + threadIdx.y) * group; begin < a.rows.size;
       begin += gridDim.x * blockDim.y * group) {
    const uint32_t i = begin + lane;
    int64_t target = 0;
    int count = 0;
    if (lane < group && i < a.rows.size) {
      target = index_of(a, i);
      if (a.heads[target] == static_cast<int>(i)) count = a.counts[target] + 1;
    }
    if (count == 1 && are_short) {
      for (uint32_t k = 0; k < a.row.size; ++k) {
        Combined<T, combine> sum(a, target, k);
        sum.add(i);
        sum.write();
      }
      count = 0;
    }
    for (uint32_t left = __ballot_sync(kAll, count != 0); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      add_to_row<T, combine>(a, __shfl_sync(kAll, target, owner), static_cast<int>(begin) + owner,
                             __shfl_sync(kAll, count, owner));
    }
  }
}

// Adds or copies up to 32 rows of the list in order, by a thread for each element of a row.
template <class T>
DEVICE void few_rows(const RowsArgs& a, bool accumulate) {
  const uint32_t lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x + threadIdx.x - lane;
  const int64_t mine = lane < a.rows.size ? index_of(a, lane) : 0;
  for (uint32_t begin = first; begin < a.row.size; begin += gridDim.x * blockDim.x) {
    const uint32_t k = begin + lane;
    for (uint32_t i = 0; i < a.rows.size; ++i) {
      const int64_t target = __shfl_sync(kAll, mine, static_cast<int>(i));
      if (k >= a.row.size) continue;
      Combined<T, Combine::sum> sum(a, target, k);
      if (accumulate)
        sum.add(i);
      else
        sum.total = sum.row(i);
      sum.write();
    }
  }
}

}  // namespace

// Finds the list's rows for each row of the table. Their order in a list varies; its users do not depend on it.
KERNEL(find_rows, RowsArgs) {
  for (int64_t n = first_element(); n < a.rows.size; n += element_step()) {
    const int i = static_cast<int>(n);
    const int64_t target = index_of(a, static_cast<uint32_t>(n));
    if (a.counts) {
      atomicAdd(&a.counts[target], 1);
      a.next[i] = atomicExch(&a.heads[target], i);
    } else {
      atomicMax(&a.heads[target], i);
    }
  }
}
KERNEL(put_few_rows_float32, RowsArgs) { few_rows<float>(a, false); }
KERNEL(put_few_rows_float64, RowsArgs) { few_rows<double>(a, false); }
KERNEL(put_few_rows_int64, RowsArgs) { few_rows<int64_t>(a, false); }
KERNEL(add_few_rows_float32, RowsArgs) { few_rows<float>(a, true); }
KERNEL(add_few_rows_float64, RowsArgs) { few_rows<double>(a, true); }
KERNEL(add_few_rows_int64, RowsArgs) { few_rows<int64_t>(a, true); }
KERNEL(take_rows_float32, RowsArgs) { take_rows<float>(a); }
KERNEL(take_rows_float64, RowsArgs) { take_rows<double>(a); }
KERNEL(take_rows_int64, RowsArgs) { take_rows<int64_t>(a); }
KERNEL(put_rows_float32, RowsArgs) { put_rows<float>(a); }
KERNEL(put_rows_float64, RowsArgs) { put_rows<double>(a); }
KERNEL(put_rows_int64, RowsArgs) { put_rows<int64_t>(a); }
KERNEL(add_rows_float32, RowsArgs) { add_rows<float>(a); }
KERNEL(add_rows_float64, RowsArgs) { add_rows<double>(a); }
KERNEL(add_rows_int64, RowsArgs) { add_rows<int64_t>(a); }
KERNEL(largest_rows_float32, RowsArgs) { add_rows<float, Combine::largest>(a); }
KERNEL(largest_rows_float64, RowsArgs) { add_rows<double, Combine::largest>(a); }

}  // namespace chainer::cuda
