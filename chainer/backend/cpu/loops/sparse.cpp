// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/sparse.h"

#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

// Threads share the columns.
template <class T>
void multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c) {
  const int64_t k = x.shape()[1], n = x.shape()[2], nnz = data.shape()[1], rows = c.shape()[1], entries = data.size();
  const int32_t *to = row.data<int32_t>(), *from = col.data<int32_t>();
  const T *values = data.data<T>(), *in = x.data<T>();
  T* out = c.mutable_data<T>();
  cpu::parallel_ranges(n, entries * n, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < entries; ++i) {
      if (to[i] < 0) continue;
      const int64_t b = i / nnz;
      T* o = out + (b * rows + to[i]) * n;
      const T* r = in + (b * k + from[i]) * n;
      for (int64_t j = begin; j < end; ++j) o[j] += values[i] * r[j];
    }
  });
}

}  // namespace

void coo_multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c) {
  if (x.dtype() == Dtype::float64)
    multiply<double>(data, row, col, x, c);
  else
    multiply<float>(data, row, col, x, c);
}

void coo_sampled(const Array& g, const Array& row, const Array& col, const Array& x, Array& out) {
  const int64_t m = g.shape()[1], k = x.shape()[1], n = x.shape()[2], nnz = row.shape()[1];
  const double *left = g.data<double>(), *right = x.data<double>();
  const int32_t *at = row.data<int32_t>(), *from = col.data<int32_t>();
  double* o = out.mutable_data<double>();
  cpu::parallel_ranges(row.size(), row.size() * n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (at[i] < 0) continue;
      const int64_t b = i / nnz;
      for (int64_t j = 0; j < n; ++j) o[i] += left[(b * m + at[i]) * n + j] * right[(b * k + from[i]) * n + j];
    }
  });
}

}  // namespace chainer::host_kernels
