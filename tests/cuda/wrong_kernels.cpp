// SPDX-License-Identifier: MIT
#include "wrong_kernels.h"

#include "chainer/backend/cuda/kernels/dialect.h"

namespace chainer::cuda {

KERNEL(right, WrongArgs) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = a.x[threadIdx.x];
  __syncthreads();
  float v = s[63 - threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(0xffffffffu, v, distance);
  if (__ballot_sync(0xffffffffu, threadIdx.x % 2) != 0xaaaaaaaau) v = -1;
  a.x[threadIdx.x] = v;
}
KERNEL(transpose_without_barrier, WrongArgs) {
  SHARED(float, tile, [8][9]);
  tile[threadIdx.x / 8][threadIdx.x % 8] = a.x[threadIdx.x];
  a.x[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}
KERNEL(barrier_of_some, WrongArgs) {
  if (int(threadIdx.x) < a.n) __syncthreads();
  a.x[threadIdx.x] = 0;
}
KERNEL(barrier_after_an_end, WrongArgs) {
  if (threadIdx.x == 0) return;
  __syncthreads();
  a.x[threadIdx.x] = 0;
}
KERNEL(two_barriers, WrongArgs) {
  if (threadIdx.x % 2)
    __syncthreads();
  else
    __syncthreads();
  a.x[threadIdx.x] = 0;
}
KERNEL(shuffle_of_half, WrongArgs) {
  float v = a.x[threadIdx.x];
  if (threadIdx.x < 16) v += __shfl_down_sync(0xffffu, v, 8);  // lanes 8 to 15 read from 16 to 23
  a.x[threadIdx.x] = v;
}
KERNEL(shuffle_with_all, WrongArgs) {
  float v = a.x[threadIdx.x];
  if (threadIdx.x < 16) v += __shfl_xor_sync(0xffffffffu, v, 8);  // lanes 16 to 31 do not take part
  __syncthreads();
  a.x[threadIdx.x] = v;
}
KERNEL(not_in_the_mask, WrongArgs) { a.x[threadIdx.x] = __shfl_sync(0xffffu, a.x[threadIdx.x], 0); }
KERNEL(two_meetings, WrongArgs) {
  float v = a.x[threadIdx.x];
  if (threadIdx.x % 2)
    v = __shfl_xor_sync(0xffffffffu, v, 1);
  else
    v = __shfl_xor_sync(0xffffffffu, v, 1);
  a.x[threadIdx.x] = v;
}
KERNEL(unwritten_shared, WrongArgs) {
  SHARED(float, s, [64]);
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  a.x[threadIdx.x] = s[threadIdx.x];
}
KERNEL(much_shared, WrongArgs) {
  SHARED(float, s, [13000]);
  s[threadIdx.x] = 1;
  a.x[threadIdx.x] = s[threadIdx.x];
}
KERNEL(behind_shared, WrongArgs) {
  SHARED(float, s, [64]);
  s[threadIdx.x + a.n] = 1;
  a.x[threadIdx.x] = 0;
}
KERNEL(behind_the_end, WrongArgs) { a.x[threadIdx.x + a.n] = 1; }
KERNEL(blocks_in_a_race, WrongArgs) { a.x[0] = a.x[0] * 0.5f + float(blockIdx.x); }

}  // namespace chainer::cuda
