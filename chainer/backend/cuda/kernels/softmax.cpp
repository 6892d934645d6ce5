// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/formulas.h"

#include "chainer/backend/cuda/kernels/softmax.h"

namespace chainer::cuda {
namespace {

template <class T>
DEVICE T larger(T a, T b) {
  return b > a || b != b ? b : a;  // NaN wins
}

template <class T>
DEVICE void softmax(const SoftmaxArgs& a) {
  SHARED(T, largest, [SoftmaxArgs::kThreads]);
  SHARED(double, totals, [SoftmaxArgs::kThreads]);
  const int lanes = SoftmaxArgs::kThreads / a.wide, t = threadIdx.x;
  const int key = a.inner > 1 ? t % a.wide : t / lanes, lane = a.inner > 1 ? t / a.wide : t % lanes;
  const int mine = lane * a.wide + key;
  const int64_t rows = a.outer * a.inner;
  for (int64_t tile = blockIdx.x; tile * a.wide < rows; tile += gridDim.x) {
    const int64_t row = tile * a.wide + key, n = row < rows ? a.n : 0;
    const int64_t first = row / a.inner * a.n * a.inner + row % a.inner;
    const auto at = [&](int64_t k) { return load<T>(a.in + (first + k * a.inner) * a.in_bytes, a.in_type); };
    T most = n ? at(0) : T(0);
    for (int64_t k = lane; k < n; k += lanes) most = larger(most, at(k));
    largest[mine] = most;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
      if (lane < half) largest[mine] = larger(largest[mine], largest[mine + half * a.wide]);
      __syncthreads();
    }
    most = largest[key];
    double total = 0;
    for (int64_t k = lane; k < n; k += lanes) total += m::exp(at(k) - most);
    totals[mine] = total;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
      if (lane < half) totals[mine] += totals[mine + half * a.wide];
      __syncthreads();
    }
    const T sum = static_cast<T>(totals[key]), logarithm = m::log(sum);
    for (int64_t k = lane; k < n; k += lanes) {
      const T x = at(k) - most;
      store(a.out + (first + k * a.inner) * a.out_bytes, a.out_type, a.log ? x - logarithm : m::exp(x) / sum);
    }
    __syncthreads();
  }
}

}  // namespace

KERNEL(softmax_float32, SoftmaxArgs) { softmax<float>(a); }
KERNEL(softmax_float64, SoftmaxArgs) { softmax<double>(a); }

}  // namespace chainer::cuda
