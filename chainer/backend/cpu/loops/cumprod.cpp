// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/cumprod.h"

#include <algorithm>

namespace chainer::host_kernels {
namespace {

// kLines lines go side by side, as each waits for its last product.
template <class T>
void gradient(const T* x, const T* y, const T* gy, T* gx, int64_t outer, int64_t n, int64_t inner) {
  constexpr int64_t kLines = 8;
  for (int64_t first = 0; first < outer * inner; first += kLines) {
    const int64_t count = std::min(kLines, outer * inner - first);
    int64_t at[kLines];  // after the last element of each line
    T g[kLines] = {};
    for (int64_t l = 0; l < count; ++l) at[l] = (first + l) / inner * n * inner + (first + l) % inner + n * inner;
    for (int64_t i = n; i-- > 0;)
      for (int64_t l = 0; l < count; ++l) {
        const T factor = i + 1 < n ? x[at[l]] : T(0);
        at[l] -= inner;
        g[l] = gy[at[l]] + factor * g[l];
        gx[at[l]] = i > 0 ? y[at[l] - inner] * g[l] : g[l];
      }
  }
}

}  // namespace

void cumprod_grad(const Array& x, const Array& y, const Array& gy, Array& gx, int64_t outer, int64_t n, int64_t inner) {
  if (x.dtype() == Dtype::float64)
    gradient(x.data<double>(), y.data<double>(), gy.data<double>(), gx.mutable_data<double>(), outer, n, inner);
  else
    gradient(x.data<float>(), y.data<float>(), gy.data<float>(), gx.mutable_data<float>(), outer, n, inner);
}

}  // namespace chainer::host_kernels
