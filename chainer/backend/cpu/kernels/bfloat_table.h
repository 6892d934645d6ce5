// SPDX-License-Identifier: MIT
// The kernels for products of bfloat16 matrices, where the processor has instructions for them.
#pragma once
#include <cstdint>

namespace chainer::cpu {

/// The lengths of the blocks that a kernel computes: rows and columns of the result, and elements of the inner axis.
inline constexpr int64_t kBfloatRows = 32, kBfloatColumns = 32, kBfloatInner = 32;

/// A block of rows times consecutive panels of the second matrix: sums(i, j) = sum over l of a(i, l) b(l, j), added to
/// the previous sums unless `start`. Element (i, l) of a is a[i * a_row + l / 32 * a_step + l % 32]; 16 or 32 rows can
/// be read, and the same number of rows of sums is written. A panel holds kBfloatColumns columns; its row i has the
/// elements (2 i, j) and (2 i + 1, j) of each column j, next to each other. Both operands are padded with zeros to
/// multiples of 32 along the inner axis.
struct BfloatProduct {
  const uint16_t* a;
  int64_t a_row, a_step;
  bool few_rows;  ///< 16 rows instead of 32
  const uint16_t* b;
  int64_t b_panel;  ///< distance of the panels, in elements
  int64_t panels;
  bool narrow;    ///< true if only the first 16 columns of the last panel are needed
  int64_t steps;  ///< blocks of 32 elements of the inner axis
  float* sums;
  int64_t sums_row;
  bool start;
};

struct BfloatKernels {
  const char* name;
  void (*product)(const BfloatProduct& p);
  /// Packs `rows` rows, whose distance is `step`, of `columns` columns into panels of distance `panel`.
  void (*pack)(uint16_t* to, int64_t panel, const uint16_t* b, int64_t step, int64_t rows, int64_t columns);
  /// Rounds n floats to bfloat16; denormal ones to zero.
  void (*round)(uint16_t* to, const float* from, int64_t n);
};

/// Returns the best kernels of this processor that CHAINER_ISA allows; nullptr if there are none.
const BfloatKernels* bfloat_kernels();

// Each is compiled for the instructions that its namespace is named after.
namespace tiles {
void product(const BfloatProduct& p);
}
namespace dots {
void product(const BfloatProduct& p);
void pack(uint16_t* to, int64_t panel, const uint16_t* b, int64_t step, int64_t rows, int64_t columns);
void round(uint16_t* to, const float* from, int64_t n);
}  // namespace dots

}  // namespace chainer::cpu
