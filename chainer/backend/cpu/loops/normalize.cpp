// SPDX-License-Identifier: MIT
// Standardized rows, divided among threads.
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

void CpuBackend::standardize(const Array& x, double eps, Array& y, Array& rstd) {
  const int64_t n = x.shape()[1] * item_size(x.dtype());
  const Compute c = floating_compute_type(x.dtype(), "standardize");
  const char* in = static_cast<const char*>(x.raw());
  char* out = static_cast<char*>(y.mutable_raw());
  double* r = rstd.mutable_data<double>();
  parallel_ranges(x.shape()[0], x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) kernels().standardize[c](out + i * n, in + i * n, x.shape()[1], eps, r + i);
  });
}

void CpuBackend::standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) {
  const int64_t n = y.shape()[1] * item_size(y.dtype());
  const Compute c = floating_compute_type(y.dtype(), "standardize_grad");
  const char *g = static_cast<const char*>(gy.raw()), *in = static_cast<const char*>(y.raw());
  char* out = static_cast<char*>(gx.mutable_raw());
  const double* r = rstd.data<double>();
  parallel_ranges(y.shape()[0], y.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      kernels().standardize_grad[c](out + i * n, g + i * n, in + i * n, y.shape()[1], r[i]);
  });
}

}  // namespace chainer::cpu
