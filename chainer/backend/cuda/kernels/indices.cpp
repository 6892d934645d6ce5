// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/indices.h"

namespace chainer::cuda {

// Uses a single block, so that the first wrong index is found without atomics.
KERNEL(check_indices, IndicesArgs) {
  SHARED(int64_t, firsts, [IndicesArgs::kThreads / 32]);
  int64_t first = a.n;
  for (int64_t i = threadIdx.x; i < a.n; i += IndicesArgs::kThreads) {
    int64_t v = load<int64_t>(a.index + i * a.bytes, a.type);
    const bool counts = !a.ignores || v != a.ignored;
    if (counts && (v < 0 || v >= a.size) && first == a.n) first = i;
    if (!counts || v < 0 || v >= a.size) v = 0;
    a.out[i] = a.columns ? (i / a.inner * a.size + v) * a.inner + i % a.inner : v;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const int64_t other = __shfl_xor_sync(0xffffffffu, first, distance);
    if (other < first) first = other;
  }
  if (threadIdx.x % 32 == 0) firsts[threadIdx.x / 32] = first;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int k = 1; k < IndicesArgs::kThreads / 32; ++k)
    if (firsts[k] < first) first = firsts[k];
  const bool found = first < a.n;
  a.wrong->position = found ? first : -1;
  a.wrong->value = found ? load<int64_t>(a.index + first * a.bytes, a.type) : 0;
}

}  // namespace chainer::cuda
