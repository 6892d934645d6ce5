// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices with few rows or columns, which wait for the other matrix: it is read once, in place.
// With few elements of the inner axis, it is the result that is waited for.
#include <vector>

#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/bfloat_writer.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

void multiply_bfloat_rows(const HalfProblem& p) {
  const bool flipped = p.m > kBfloatThinRows && p.n <= kBfloatThinRows;  // computes the transposed product
  const BfloatTask task{p, flipped ? 1 : p.ldc, flipped ? p.ldc : 1};
  const int64_t columns = flipped ? p.m : p.n;
  BfloatThinProduct t{.rows = flipped ? p.n : p.m,
                      .k = p.k,
                      .a = flipped ? p.b : p.a,
                      .a_row = flipped ? p.ldb : p.lda,
                      .b = flipped ? p.a : p.b,
                      .b_step = flipped ? p.lda : p.ldb,
                      .b_transposed = flipped ? !p.ta : p.tb,
                      .sums = nullptr,
                      .sums_row = BfloatWriter::kStep};
  const int64_t step = t.a_row;
  const bool apart = flipped ? !p.tb : p.ta;
  std::vector<uint16_t> rows;
  if (apart || p.k % 2) {
    t.a_row = blocks_of(p.k, 2) * 2;
    rows.resize(static_cast<std::size_t>(t.rows * t.a_row));
    for (int64_t i = 0; i < t.rows; ++i)
      for (int64_t l = 0; l < p.k; ++l)
        rows[static_cast<std::size_t>(i * t.a_row + l)] = apart ? t.a[l * step + i] : t.a[i * step + l];
    t.a = rows.data();
  }
  const auto run = [&](int64_t first, int64_t count, int64_t begin, int64_t end) {
    const ScratchBuffer sums(count * BfloatWriter::kStep);
    BfloatThinProduct part = t;
    part.rows = count, part.a = t.a + first * t.a_row, part.sums = sums.data();
    for (; begin < end; begin += BfloatWriter::kStep) {
      const int64_t width = std::min(BfloatWriter::kStep, end - begin);
      part.b = t.b + (t.b_transposed ? begin * t.b_step : begin);
      bfloat_kernels()->thin_product(part, width);
      BfloatWriter(task).write(part.sums, first, count, begin, width);
    }
  };
  const int64_t blocks = blocks_of(t.rows, kBfloatThinRows);
  if (blocks == 1)
    return parallel_ranges(columns, p.k * columns, kBfloatColumns,
                           [&](int64_t begin, int64_t end) { run(0, t.rows, begin, end); });
  parallel_ranges(blocks, t.rows * columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * kBfloatThinRows; i < std::min(end * kBfloatThinRows, t.rows); i += kBfloatThinRows)
      run(i, std::min(kBfloatThinRows, t.rows - i), 0, columns);
  });
}

}  // namespace chainer::cpu
