// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/formulas.h"

#include "chainer/backend/cuda/kernels/softmax.h"

namespace chainer::cuda {
namespace {

// One warp per row, four warps per block.
template <class T>
DEVICE void softmax(const SoftmaxArgs& a) {
  const int64_t rows = a.outer * a.inner;
  for (int64_t row = int64_t(blockIdx.x) * 4 + threadIdx.y; row < rows; row += int64_t(gridDim.x) * 4) {
    const int64_t first = row / a.inner * a.n * a.inner + row % a.inner;
    const auto at = [&](int64_t k) { return load<T>(a.in + (first + k * a.inner) * a.in_bytes, a.in_type); };
    T largest = at(0);
    for (int64_t k = threadIdx.x; k < a.n; k += 32) {
      const T x = at(k);
      if (x > largest || x != x) largest = x;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      const T x = __shfl_xor_sync(0xffffffffu, largest, distance);
      if (x > largest || x != x) largest = x;
    }
    double total = 0;
    for (int64_t k = threadIdx.x; k < a.n; k += 32) total += m::exp(at(k) - largest);
    for (int distance = 16; distance > 0; distance /= 2) total += __shfl_xor_sync(0xffffffffu, total, distance);
    const T sum = static_cast<T>(total), logarithm = m::log(sum);
    for (int64_t k = threadIdx.x; k < a.n; k += 32) {
      const T x = at(k) - largest;
      store(a.out + (first + k * a.inner) * a.out_bytes, a.out_type, a.log ? x - logarithm : m::exp(x) / sum);
    }
  }
}

}  // namespace

KERNEL(softmax_float32, SoftmaxArgs) { softmax<float>(a); }
KERNEL(softmax_float64, SoftmaxArgs) { softmax<double>(a); }

}  // namespace chainer::cuda
