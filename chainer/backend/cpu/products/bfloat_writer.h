// SPDX-License-Identifier: MIT
// How the sums of a product of bfloat16 matrices become its result.
#pragma once
#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/bfloat_product.h"

namespace chainer::cpu {

/// A product as it is computed: element (i, j) of the result is c[i * c_row + j * c_column].
struct BfloatTask {
  HalfProblem p;
  int64_t c_row, c_column;
};

/// Writes blocks of at most 32 rows of sums, whose rows have distance kStep.
class BfloatWriter {
 public:
  static constexpr int64_t kStep = 512;

  explicit BfloatWriter(const BfloatTask& t) : t_(t) {}
  void write(const float* sums, int64_t row, int64_t rows, int64_t column, int64_t columns) const {
    if (t_.c_column == 1) {
      for (int64_t i = 0; i < rows; ++i) line((row + i) * t_.c_row + column, sums + i * kStep, columns);
      return;
    }
    float turned[kBfloatColumns * kBfloatRows];
    for (int64_t j = 0; j < columns; j += kBfloatColumns) {
      const int64_t count = std::min(kBfloatColumns, columns - j);
      kernels().transpose[4](turned, kBfloatRows, sums + j, kStep, rows, count);
      for (int64_t i = 0; i < count; ++i) line((column + j + i) * t_.c_column + row, turned + i * kBfloatRows, rows);
    }
  }

 private:
  // n consecutive elements of the result
  void line(int64_t at, const float* sums, int64_t n) const {
    const HalfProblem& p = t_.p;
    const int type = static_cast<int>(p.c_dtype);
    void* const to = static_cast<char*>(p.c) + at * static_cast<int64_t>(item_size(p.c_dtype));
    if (p.alpha == 1 && p.beta == 0) {
      if (p.c_dtype == bfloat16) return bfloat_kernels()->round(static_cast<uint16_t*>(to), sums, n);
      std::memcpy(to, sums, static_cast<std::size_t>(n) * sizeof(float));
      return;
    }
    float values[kStep];
    if (p.beta == 0)
      std::fill_n(values, n, 0.f);
    else
      kernels().load[kF32][type](values, to, 1, n);
    for (int64_t j = 0; j < n; ++j) values[j] = (p.beta == 0 ? 0 : p.beta * values[j]) + p.alpha * sums[j];
    kernels().store[kF32][type](to, 1, values, n);
  }
  const BfloatTask& t_;
};

}  // namespace chainer::cpu
