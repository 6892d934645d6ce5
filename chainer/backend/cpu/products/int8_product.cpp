// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/products/int8_product.h"

#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kPanels = 8;  // multiplied at a time, whose sums stay in the first-level cache
constexpr int64_t kBlocks = 4;  // blocks of rows that read a group of panels while it is in the cache
constexpr int64_t kWidth = kPanels * kInt8Columns;

// Rows [row, row + count) of the result, at most kInt8Rows, and panels [first, end), at most kPanels.
void block(const Int8Panels& p, const uint8_t* a, int64_t a_step, int64_t row, int64_t count, int64_t first,
           int64_t end, const int8_t* packed, int32_t* sums, const Int8Output& o) {
  const Int8Kernels& kernels = int8_kernels();
  const int64_t column = first * kInt8Columns, n = std::min(p.columns, end * kInt8Columns) - column;
  const Int8Product product{.a = a,
                            .a_row = a_step,
                            .rows = count,
                            .b = packed + first * p.size(),
                            .b_panel = p.size(),
                            .panels = end - first,
                            .steps = p.steps,
                            .inner = p.inner,
                            .sums = sums,
                            .sums_row = kWidth};
  if (o.kind == Int8Output::bytes && kernels.product_to_bytes)
    return kernels.product_to_bytes(product, {o.offset + column, o.scale + column, n, o.zero, o.low, o.high,
                                              static_cast<uint8_t*>(o.out) + row * o.out_step + column, o.out_step});
  kernels.product(product);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = (row + i) * o.out_step + column;
    if (o.kind == Int8Output::sums) {
      auto* const to = static_cast<int32_t*>(o.out) + at;
      for (int64_t j = 0; j < n; ++j)
        to[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[i * kWidth + j]) +
                                     static_cast<uint32_t>(o.offset[column + j]));
      continue;
    }
    const Int8Results r{sums + i * kWidth, o.offset + column, o.scale + column, n, o.zero, o.low, o.high};
    if (o.kind == Int8Output::bytes)
      int8_loops().to_bytes(r, static_cast<uint8_t*>(o.out) + at);
    else
      int8_loops().to_floats(r, static_cast<float*>(o.out) + at);
  }
}

}  // namespace

void pack_int8(const Int8Panels& p, const int8_t* b, int64_t b_step, void* to) {
  auto* const panels = static_cast<int8_t*>(to);
  auto* const sums = reinterpret_cast<int32_t*>(panels + p.count * p.size());
  parallel_ranges(p.count, p.inner * p.columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int8_t* const panel = panels + i * p.size();
      std::memset(panel, 0, static_cast<std::size_t>(p.size()));
      for (int64_t j = 0; j < kInt8Columns; ++j) {
        const int64_t column = i * kInt8Columns + j;
        int32_t sum = 0;
        for (int64_t l = 0; column < p.columns && l < p.inner; ++l) {
          const int8_t v = b[column * b_step + l];
          panel[(l / 4 * kInt8Columns + j) * 4 + l % 4] = v;
          sum += v;
        }
        sums[column] = sum;
      }
    }
  });
}

void multiply_int8(const Int8Panels& p, const uint8_t* a, int64_t a_step, int64_t rows, const void* packed,
                   const Int8Output& o) {
  const auto* const b = static_cast<const int8_t*>(packed);
  const int64_t row_groups = blocks_of(rows, kBlocks * kInt8Rows);
  // With few rows, the panels are divided among the threads.
  const int64_t per_row = blocks_of(p.count, kPanels);
  parallel_ranges(row_groups * per_row, rows * p.padded() * p.row() / 64, 1, [&](int64_t begin, int64_t end) {
    const ScratchBuffer sums(kInt8Rows * kWidth);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % per_row * kPanels, last = std::min(p.count, first + kPanels);
      const int64_t top = i / per_row * kBlocks * kInt8Rows;
      for (int64_t r = top; r < std::min(rows, top + kBlocks * kInt8Rows); r += kInt8Rows)
        block(p, a + r * a_step, a_step, r, std::min(kInt8Rows, rows - r), first, last, b,
              reinterpret_cast<int32_t*>(sums.data()), o);
    }
  });
}

void multiply_int8_rows(const Int8Panels& p, int64_t rows,
                        void (*copy)(const void* context, int64_t first, int64_t count, uint8_t* to),
                        const void* context, const void* packed, const Int8Output& o) {
  const int64_t threads = thread_count(), size = p.row();
  const int64_t row_blocks = blocks_of(rows, kInt8Rows);
  // Few blocks of rows are copied once, and then their panels are divided among the threads.
  if (row_blocks < 2 * threads) {
    const ScratchBuffer memory(blocks_of(rows * size, 4));
    auto* const a = reinterpret_cast<uint8_t*>(memory.data());
    parallel_ranges(rows, rows * size / 4, 8,
                    [&](int64_t begin, int64_t end) { copy(context, begin, end - begin, a + begin * size); });
    return multiply_int8(p, a, size, rows, packed, o);
  }
  const auto* const b = static_cast<const int8_t*>(packed);
  const int64_t group = std::clamp<int64_t>(row_blocks / (4 * threads), 1, kBlocks) * kInt8Rows;
  parallel_ranges(blocks_of(rows, group), rows * p.padded() * size / 64, 1, [&](int64_t begin, int64_t end) {
    const ScratchBuffer sums(kInt8Rows * kWidth), memory(blocks_of(group * size, 4));
    auto* const a = reinterpret_cast<uint8_t*>(memory.data());
    for (int64_t top = begin * group; top < std::min(rows, end * group); top += group) {
      const int64_t count = std::min(group, rows - top);
      copy(context, top, count, a);
      for (int64_t first = 0; first < p.count; first += kPanels)
        for (int64_t r = 0; r < count; r += kInt8Rows)
          block(p, a + r * size, size, top + r, std::min(kInt8Rows, count - r), first,
                std::min(p.count, first + kPanels), b, reinterpret_cast<int32_t*>(sums.data()), o);
    }
  });
}

}  // namespace chainer::cpu
