// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/sparse.h"

namespace chainer::cuda {
namespace {

// A thread for each column of each entry; that of the first entry of a row adds all of the row, in order.
template <class T>
DEVICE void multiply_entries(const SparseArgs& a) {
  const T *const data = static_cast<const T*>(a.data), *const right = static_cast<const T*>(a.right);
  for (int64_t i = first_element(); i < a.batch * a.entries * a.n; i += element_step()) {
    const int64_t column = i % a.n, b = i / a.n / a.entries;
    int64_t place = i / a.n % a.entries;
    const int64_t* const order = a.order + b * a.entries;
    const int32_t *const row = a.row + b * a.entries, *const col = a.col + b * a.entries;
    const int32_t target = row[order[place]];
    if (target < 0 || (place > 0 && row[order[place - 1]] == target)) continue;
    T sum = T(0);
    for (; place < a.entries && row[order[place]] == target; ++place) {
      const int64_t e = order[place];
      sum += data[b * a.entries + e] * right[(b * a.k + col[e]) * a.n + column];
    }
    static_cast<T*>(a.out)[(b * a.rows + target) * a.n + column] = sum;
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
KERNEL(sample_entries_float32, SparseArgs) { sample_entries<float>(a); }
KERNEL(sample_entries_float64, SparseArgs) { sample_entries<double>(a); }

}  // namespace chainer::cuda
