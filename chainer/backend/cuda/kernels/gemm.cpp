// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/gemm.h"

namespace chainer::cuda {
namespace {

template <class T>
DEVICE T element(const GemmArgs::Matrices& m, Type type, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  if (row >= rows || column >= columns) return T(0);
  return load<T>(m.data + blockIdx.z * m.stack + row * m.row + column * m.column, type);
}

// Tiles of both operands are copied to shared memory.
template <class T>
DEVICE void gemm(const GemmArgs& a) {
  SHARED(T, left, [kGemmTile][kGemmTile]);
  SHARED(T, right, [kGemmTile][kGemmTile + 1]);
  const int x = threadIdx.x, y = threadIdx.y;
  const int64_t column = int64_t(blockIdx.x) * kGemmTile + x;
  for (int64_t first = int64_t(blockIdx.y) * kGemmTile; first < a.m; first += int64_t(gridDim.y) * kGemmTile) {
    const int64_t row = first + y;
    T sum = T(0);
    for (int64_t k = 0; k < a.k; k += kGemmTile) {
      left[y][x] = element<T>(a.a, a.type, row, k + x, a.m, a.k);
      right[y][x] = element<T>(a.b, a.type, k + y, column, a.k, a.n);
      __syncthreads();
      for (int i = 0; i < kGemmTile; ++i) sum += left[y][i] * right[i][x];
      __syncthreads();
    }
    if (row >= a.m || column >= a.n) continue;
    char* to = a.out.data + blockIdx.z * a.out.stack + row * a.out.row + column * a.out.column;
    const T before = a.beta == 0 ? T(0) : static_cast<T>(static_cast<T>(a.beta) * load<T>(to, a.type));
    store(to, a.type, static_cast<T>(static_cast<T>(a.alpha) * sum + before));
  }
}

}  // namespace

KERNEL(gemm_float32, GemmArgs) { gemm<float>(a); }
KERNEL(gemm_float64, GemmArgs) { gemm<double>(a); }
KERNEL(gemm_int64, GemmArgs) { gemm<int64_t>(a); }

}  // namespace chainer::cuda
