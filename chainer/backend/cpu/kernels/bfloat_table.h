// SPDX-License-Identifier: MIT
// The kernels for products of bfloat16 matrices, where the processor has instructions for them.
#pragma once
#include <cstdint>

namespace chainer::cpu {

/// The lengths of the blocks that a kernel computes: rows and columns of the result, and elements of the inner axis.
inline constexpr int64_t kBfloatRows = 32, kBfloatColumns = 32, kBfloatInner = 32;

/// A block of rows times consecutive panels of the second matrix: sums(i, j) = sum over l of a(i, l) b(l, j), added to
/// the previous sums unless `start`. The inner axis consists of `segments` of `steps` blocks of 32 elements; both
/// operands are padded with zeros to whole blocks. Element l of block s of segment t of row i of a is
/// a[i * a_row + offsets[t] + s * a_step + l]; 16 or 32 rows can be read, and as many rows of sums are written. A panel
/// holds kBfloatColumns columns; its row i has the elements (2 i, j) and (2 i + 1, j) of each column j, next to each
/// other.
struct BfloatProduct {
  const uint16_t* a;
  int64_t a_row, a_step;
  const int64_t* offsets;
  int64_t segments, steps;
  int64_t last = kBfloatInner;  ///< elements of the last block that may be other than zero
  bool few_rows;                ///< 16 rows instead of 32
  const uint16_t* b;
  int64_t b_panel;  ///< distance of the panels, in elements
  int64_t panels;
  bool narrow;  ///< true if only the first 16 columns of the last panel are needed
  float* sums;
  int64_t sums_row;
  bool start;
};
/// The offsets of an inner axis of one segment.
inline constexpr int64_t kOneSegment[] = {0};

/// A product of few rows, which reads the second matrix once and in place: sums(i, j) = sum over l < k of
/// a(i, l) b(l, j). Element l of row i of a is a[i * a_row + l], followed by a zero if k is odd. Rows of b have
/// distance b_step, or its columns if it is transposed. The sums are those of dots::product, to the bit.
struct BfloatThinProduct {
  int64_t rows, k;
  const uint16_t* a;
  int64_t a_row;
  const uint16_t* b;
  int64_t b_step;
  bool b_transposed;
  float* sums;
  int64_t sums_row;
};
inline constexpr int64_t kBfloatThinRows = 8;

struct BfloatKernels {
  const char* name;
  bool tiles;  ///< by AMX, which multiplies an order of magnitude faster than float32's instructions
  void (*product)(const BfloatProduct& p);
  /// Computes the first `columns` columns, and undefined sums for the rest of a block of 32.
  void (*thin_product)(const BfloatThinProduct& p, int64_t columns);
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
void thin_product(const BfloatThinProduct& p, int64_t columns);
void pack(uint16_t* to, int64_t panel, const uint16_t* b, int64_t step, int64_t rows, int64_t columns);
void round(uint16_t* to, const float* from, int64_t n);
}  // namespace dots

}  // namespace chainer::cpu
