// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/scan.h"

namespace chainer::cuda {
namespace {

template <class T>
DEVICE T combined(const ScanArgs& a, T x, T y) {
  return a.product ? x * y : x + y;
}

// Threads add the total of those 1, 2, 4, ... places before them.
template <class T>
DEVICE void scan_rows(const ScanArgs& a) {
  SHARED(T, totals, [2][ScanArgs::kThreads]);
  const int t = threadIdx.x;
  for (int64_t row = blockIdx.x; row < a.rows.size; row += gridDim.x) {
    const char* const in = a.in.data + offset(a.rows, a.in, static_cast<uint32_t>(row));
    char* const out = a.out.data + offset(a.rows, a.out, static_cast<uint32_t>(row));
    T before = a.before ? reinterpret_cast<const T*>(a.before)[row] : T(a.product);
    for (int64_t first = 0; first < a.n; first += ScanArgs::kThreads) {
      const int64_t k = first + t;
      int now = 0;
      totals[now][t] = k < a.n ? load<T>(in + k * a.in_step, a.in.type) : T(a.product);
      __syncthreads();
      for (int distance = 1; distance < ScanArgs::kThreads; distance *= 2) {
        const T mine = totals[now][t];
        totals[1 - now][t] = t >= distance ? combined(a, totals[now][t - distance], mine) : mine;
        now = 1 - now;
        __syncthreads();
      }
      if (k < a.n) store(out + k * a.out_step, a.out.type, combined(a, before, totals[now][t]));
      before = combined(a, before, totals[now][ScanArgs::kThreads - 1]);
      __syncthreads();
    }
  }
}

template <class T>
DEVICE void scan_columns(const ScanArgs& a) {
  for (int64_t row = first_element(); row < a.rows.size; row += element_step()) {
    const char* const in = a.in.data + offset(a.rows, a.in, static_cast<uint32_t>(row));
    char* const out = a.out.data + offset(a.rows, a.out, static_cast<uint32_t>(row));
    T total = a.before ? reinterpret_cast<const T*>(a.before)[row] : T(a.product);
    for (int64_t k = 0; k < a.n; ++k) {
      total = combined(a, total, load<T>(in + k * a.in_step, a.in.type));
      store(out + k * a.out_step, a.out.type, total);
    }
  }
}

}  // namespace

KERNEL(scan_rows_float64, ScanArgs) { scan_rows<double>(a); }
KERNEL(scan_rows_int64, ScanArgs) { scan_rows<int64_t>(a); }
KERNEL(scan_columns_float64, ScanArgs) { scan_columns<double>(a); }
KERNEL(scan_columns_int64, ScanArgs) { scan_columns<int64_t>(a); }

}  // namespace chainer::cuda
