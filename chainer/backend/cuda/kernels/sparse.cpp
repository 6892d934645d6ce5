// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/sparse.h"

namespace chainer::cuda {
namespace {

// The rows of a batch item's entries, in the order of rows.
struct SortedRows {
  const int64_t* order;
  const int32_t* row;
  int64_t entries;
  DEVICE SortedRows(const SparseArgs& a, int64_t b)
      : order(a.order + b * a.entries), row(a.row + b * a.entries), entries(a.entries) {}
  DEVICE int32_t at(int64_t place) const { return row[order[place]]; }
  DEVICE bool begins_row(int64_t place) const { return place == 0 || at(place - 1) != at(place); }
  // Whether a row is cut at this place.
  DEVICE bool is_cut(int64_t place) const {
    return place % SparseArgs::kPart == 0 && place > 0 && at(place - SparseArgs::kPart) == at(place);
  }
};

// A thread for each column of each entry; that of the first entry of a part of a row adds all of the part, in order.
template <class T>
DEVICE void multiply_entries(const SparseArgs& a) {
  const T *const data = static_cast<const T*>(a.data), *const right = static_cast<const T*>(a.right);
  for (int64_t i = first_element(); i < a.batch * a.entries * a.n; i += element_step()) {
    const int64_t column = i % a.n, b = i / a.n / a.entries, first = i / a.n % a.entries;
    const SortedRows rows(a, b);
    const int32_t target = rows.at(first);
    if (target < 0) continue;
    const bool begins = rows.begins_row(first);
    if (!begins && !rows.is_cut(first)) continue;
    T sum = T(0);
    for (int64_t place = first; place < a.entries && rows.at(place) == target; ++place) {
      if (place > first && rows.is_cut(place)) break;
      const int64_t e = rows.order[place];
      sum += data[b * a.entries + e] * right[(b * a.k + a.col[b * a.entries + e]) * a.n + column];
    }
    if (begins)
      static_cast<T*>(a.out)[(b * a.rows + target) * a.n + column] = sum;
    else
      a.parts[(b * (a.entries / SparseArgs::kPart) + first / SparseArgs::kPart - 1) * a.n + column] = sum;
  }
}

// 32 threads for each column of each place where a row may be cut; those of the first cut of a row add its parts.
template <class T>
DEVICE void add_parts(const SparseArgs& a) {
  constexpr int64_t kPart = SparseArgs::kPart;
  const int64_t cuts = a.entries / kPart, lane = threadIdx.x % 32;
  for (int64_t i = first_element() / 32; i < a.batch * cuts * a.n; i += element_step() / 32) {
    const int64_t column = i % a.n, b = i / a.n / cuts, cut = i / a.n % cuts + 1;
    const SortedRows rows(a, b);
    if (cut * kPart >= a.entries) continue;
    const int32_t target = rows.at(cut * kPart);
    if (target < 0 || !rows.is_cut(cut * kPart) || (cut > 1 && rows.at((cut - 2) * kPart) == target)) continue;
    double sum = 0;
    for (int64_t k = cut + lane; k * kPart < a.entries && rows.at(k * kPart) == target; k += 32)
      sum += a.parts[(b * cuts + k - 1) * a.n + column];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    T& out = static_cast<T*>(a.out)[(b * a.rows + target) * a.n + column];
    if (lane == 0) out = static_cast<T>(static_cast<double>(out) + sum);
  }
}

template <class T>
DEVICE void sample_entries(const SparseArgs& a) {
  const T *const left = static_cast<const T*>(a.left), *const right = static_cast<const T*>(a.right);
  const int64_t lane = threadIdx.x % a.lanes;
  for (int64_t e = first_element() / a.lanes; e < a.batch * a.entries; e += element_step() / a.lanes) {
    const int64_t b = e / a.entries;
    double sum = 0;
    if (a.row[e] >= 0) {
      const T *const x = left + (b * a.rows + a.row[e]) * a.n, *const y = right + (b * a.k + a.col[e]) * a.n;
      for (int64_t j = lane; j < a.n; j += a.lanes) sum += static_cast<double>(x[j]) * static_cast<double>(y[j]);
    }
    for (int half = a.lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (lane == 0) static_cast<double*>(a.out)[e] = sum;
  }
}

}  // namespace

KERNEL(multiply_entries_float32, SparseArgs) { multiply_entries<float>(a); }
KERNEL(multiply_entries_float64, SparseArgs) { multiply_entries<double>(a); }
KERNEL(add_parts_float32, SparseArgs) { add_parts<float>(a); }
KERNEL(add_parts_float64, SparseArgs) { add_parts<double>(a); }
KERNEL(sample_entries_float32, SparseArgs) { sample_entries<float>(a); }
KERNEL(sample_entries_float64, SparseArgs) { sample_entries<double>(a); }

}  // namespace chainer::cuda
