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

/// A matrix whose rows, or columns if it is transposed, are contiguous and have distance ldb.
struct BfloatColumns {
  const uint16_t* b;
  int64_t ldb;
  bool transposed;
};

/// Packs elements [from, from + inner) of the columns [first, end) into panels (kernels/bfloat_table.h) of distance
/// `panel`, padded with zeros.
void pack_bfloat_panels(const BfloatColumns& matrix, int64_t first, int64_t end, int64_t from, int64_t inner,
                        int64_t panel, uint16_t* to);

}  // namespace chainer::cpu
