// SPDX-License-Identifier: MIT
// Products of matrices of numbers of eight bits. Sums are exact in int32, so that results are the same for all
// instruction sets and numbers of threads.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/int8_table.h"

namespace chainer::cpu {

/// The sizes of an int8 matrix (inner, columns) in panels (kernels/int8_table.h), followed by the sum of each column.
struct Int8Panels {
  Int8Panels(int64_t inner, int64_t columns)
      : inner(inner),
        columns(columns),
        steps((inner + kInt8Inner - 1) / kInt8Inner),
        count((columns + kInt8Columns - 1) / kInt8Columns) {}
  int64_t inner, columns, steps, count;
  int64_t row() const { return steps * kInt8Inner; }       ///< elements of a padded row of the first matrix
  int64_t size() const { return row() * kInt8Columns; }    ///< bytes of a panel
  int64_t padded() const { return count * kInt8Columns; }  ///< columns with those that fill the last panel
  int64_t bytes() const { return count * size() + 4 * padded(); }
  const int32_t* sums(const void* packed) const {
    return reinterpret_cast<const int32_t*>(static_cast<const int8_t*>(packed) + count * size());
  }
};
/// Packs a matrix whose columns are b + j * b_step: element (l, j) is b[j * b_step + l].
void pack_int8(const Int8Panels& panels, const int8_t* b, int64_t b_step, void* to);

/// What becomes of sums in int32: see Int8Results. offset and scale have panels.padded() elements. Rows of `out`, of
/// bytes, floats or (without scale) int32, have distance out_step.
struct Int8Output {
  enum Kind { bytes, floats, sums } kind;
  void* out;
  int64_t out_step;
  const int32_t* offset;
  const float* scale;
  float zero, low, high;
};
/// out = a b for `rows` rows of panels.row() bytes of a, whose distance is a_step.
void multiply_int8(const Int8Panels& panels, const uint8_t* a, int64_t a_step, int64_t rows, const void* packed,
                   const Int8Output& output);
/// The same for rows that copy(first, count, to) makes, in blocks: each has panels.row() bytes. Called by threads.
void multiply_int8_rows(const Int8Panels& panels, int64_t rows,
                        void (*copy)(const void* context, int64_t first, int64_t count, uint8_t* to),
                        const void* context, const void* packed, const Int8Output& output);

}  // namespace chainer::cpu
