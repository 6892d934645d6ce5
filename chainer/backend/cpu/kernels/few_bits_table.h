// SPDX-License-Identifier: MIT
// The kernels for products of few rows of floats with a matrix of integers of 4 or 8 bits.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// A panel has 16 columns. With 4 bits, word (l / 8 * 16 + j) holds elements l ... l + 7 of column j, plus 8, the first
/// in its lowest bits. With 8 bits, byte (l * 16 + j) is element l. The scale of column j in group g is
/// scales[g * 16 + j].
inline constexpr int64_t kFewBitsColumns = 16, kFewBitsRows = 4;

/// out(r, j) = sum over groups of scale(g, j) times the sum over l in the group of x(r, l) b(l, j), for at most
/// kFewBitsRows rows. `inner` is a multiple of `group`, and that one of 8. Rows of x have `inner` elements; rows of out
/// have 16 * panels elements.
struct FewBitsProduct {
  const float* x;
  int64_t x_row, rows, inner, group;
  const uint8_t* b;
  const float* scales;
  int64_t panels;
  float* out;
  int64_t out_row;
};

struct FewBitsKernels {
  void (*product4)(const FewBitsProduct& p);
  void (*product8)(const FewBitsProduct& p);
};

/// Returns the table of the instruction set that kernels() has selected.
const FewBitsKernels& few_bits_kernels();

CHAINER_DECLARE_FILL(fill_few_bits, FewBitsKernels)

}  // namespace chainer::cpu
