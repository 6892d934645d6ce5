// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices by the processor's instructions for them.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/products/problem.h"

namespace chainer::cpu {

/// Multiplies matrices of bfloat16. Sums are in float32. Each element is one sum in the order of the inner axis, so
/// that results do not depend on the numbers of threads and rows. Requires bfloat_kernels().
void multiply_bfloat(const HalfProblem& p);

/// The same with at most kBfloatThinRows rows, columns or elements of the inner axis.
void multiply_bfloat_rows(const HalfProblem& p);

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
