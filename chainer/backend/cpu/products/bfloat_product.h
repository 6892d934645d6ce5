// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices by the processor's instructions for them.
#pragma once
#include <cstdint>

namespace chainer::cpu {

/// c = alpha a b + beta c for bfloat16 matrices a (m, k) and b (k, n), whose rows, or columns if they are transposed,
/// are contiguous and have distances lda and ldb. c is bfloat16, or float32 if c_is_float.
struct BfloatProblem {
  int64_t m, n, k;
  const uint16_t* a;
  int64_t lda;
  bool ta;
  const uint16_t* b;
  int64_t ldb;
  bool tb;
  void* c;
  int64_t ldc;
  float alpha, beta;
  bool c_is_float = false;
};

/// Sums are in float32. Each element is one sum in the order of the inner axis, so that results do not depend on the
/// numbers of threads and rows. Requires bfloat_kernels().
void multiply_bfloat(const BfloatProblem& p);

}  // namespace chainer::cpu
