// SPDX-License-Identifier: MIT
// The second matrix is packed into panels of pairs (kernels/bfloat_table.h), in parts of the inner axis that stay in
// the second-level cache. Rows of the first one are read in place if they are complete blocks.
#include "chainer/backend/cpu/products/bfloat_product.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/bfloat_writer.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kInnerPart = 1024;  // elements of the inner axis that are multiplied at a time
constexpr int64_t kMostPanels = BfloatWriter::kStep / kBfloatColumns;  // of a task

using Task = BfloatTask;

// Rows of a that are contiguous along the inner axis need no packing. If both operands are, the longer one is read in
// place.
Task arranged(const HalfProblem& p) {
  if (p.ta || !p.tb || p.n <= p.m) return {p, p.ldc, 1};
  HalfProblem flipped = p;
  flipped.m = p.n, flipped.n = p.m;
  flipped.a = p.b, flipped.lda = p.ldb;
  flipped.b = p.a, flipped.ldb = p.lda;
  return {flipped, 1, p.ldc};
}

BfloatColumns columns_of(const HalfProblem& p) { return {p.b, p.ldb, p.tb}; }

// Packs `inner` elements of `rows` rows in blocks of 32 x 32, padded with zeros.
void pack_rows(const HalfProblem& p, int64_t row, int64_t rows, int64_t from, int64_t inner, uint16_t* to) {
  for (int64_t l = 0; l < inner; l += kBfloatInner, to += kBfloatRows * kBfloatInner) {
    const int64_t count = std::min(kBfloatInner, inner - l);
    if (rows < kBfloatRows || count < kBfloatInner) std::memset(to, 0, kBfloatRows * kBfloatInner * sizeof(uint16_t));
    if (p.ta) {
      kernels().transpose[2](to, kBfloatInner, p.a + (from + l) * p.lda + row, p.lda, count, rows);
      continue;
    }
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * kBfloatInner, p.a + (row + i) * p.lda + from + l,
                  static_cast<std::size_t>(count) * sizeof(*to));
  }
}

// The computation of a block of rows and a group of panels.
class Group {
 public:
  // If `packed` is null, panels are packed where they are used.
  Group(const Task& t, const uint16_t* packed, int64_t panel_size)
      : t_(t), packed_(packed), panel_size_(packed ? panel_size : std::min(panel_size, kInnerPart * kBfloatColumns)) {
    if (!packed) panels_.emplace(kMostPanels * panel_size_ / 2);
  }

  void run(int64_t row, int64_t first, int64_t count) const {
    const HalfProblem& p = t_.p;
    const int64_t rows = std::min(kBfloatRows, p.m - row), most = p.k <= kInnerPart ? kPanelsInCache : kMostPanels;
    for (int64_t panel = first; panel < first + count; panel += most) {
      const int64_t panels = std::min(most, first + count - panel), column = panel * kBfloatColumns;
      const int64_t columns = std::min(panels * kBfloatColumns, p.n - column);
      for (int64_t from = 0; from < p.k; from += kInnerPart) {
        const int64_t inner = std::min(kInnerPart, p.k - from);
        const uint16_t* b = packed_ + panel * panel_size_ + from * kBfloatColumns;
        if (!packed_) b = panels_packed(column, columns, from, inner);
        // Whole blocks are read in place, unless there are few of them and a rest.
        const int64_t complete = p.ta || rows < kBfloatRows ? 0 : inner / kBfloatInner;
        const int64_t whole = complete * kBfloatInner == inner || complete >= kManySteps ? complete : 0;
        BfloatProduct product{.a = p.a + row * p.lda + from,
                              .a_row = p.lda,
                              .a_step = kBfloatInner,
                              .offsets = kOneSegment,
                              .segments = 1,
                              .steps = whole,
                              .few_rows = rows <= kBfloatRows / 2,
                              .b = b,
                              .b_panel = panel_size_,
                              .panels = panels,
                              .narrow = columns - (panels - 1) * kBfloatColumns <= kBfloatColumns / 2,
                              .sums = sums_.data(),
                              .sums_row = BfloatWriter::kStep,
                              .start = from == 0};
        if (whole) {
          bfloat_kernels()->product(product);
          product.start = false;
        }
        if (whole * kBfloatInner == inner) continue;
        if (panel == first || p.k > kInnerPart)
          pack_rows(p, row, rows, from + whole * kBfloatInner, inner - whole * kBfloatInner, rows_at());
        product.a = rows_at(), product.a_row = kBfloatInner, product.a_step = kBfloatRows * kBfloatInner;
        product.b += whole * kBfloatInner * kBfloatColumns;
        product.steps = blocks_of(inner, kBfloatInner) - whole;
        product.last = inner - (whole + product.steps - 1) * kBfloatInner;
        bfloat_kernels()->product(product);
      }
      BfloatWriter(t_).write(sums_.data(), row, rows, column, columns);
    }
  }

 private:
  static constexpr int64_t kPanelsInCache = 4;  // whose sums stay in the first-level cache
  static constexpr int64_t kManySteps = 8;

  const uint16_t* panels_packed(int64_t column, int64_t columns, int64_t from, int64_t inner) const {
    auto* const to = reinterpret_cast<uint16_t*>(panels_->data());
    pack_bfloat_panels(columns_of(t_.p), column, column + columns, from, inner, panel_size_, to);
    return to;
  }
  uint16_t* rows_at() const { return reinterpret_cast<uint16_t*>(rows_.data()); }

  const Task& t_;
  const uint16_t* packed_;
  int64_t panel_size_;
  ScratchBuffer sums_{kBfloatRows * kMostPanels * kBfloatColumns}, rows_{kBfloatRows * kInnerPart / 2};
  std::optional<ScratchBuffer> panels_;
};

}  // namespace

void pack_bfloat_panels(const BfloatColumns& p, int64_t first, int64_t end, int64_t from, int64_t inner, int64_t panel,
                        uint16_t* to) {
  if (!p.transposed) return bfloat_kernels()->pack(to, panel, p.b + from * p.ldb + first, p.ldb, inner, end - first);
  const int64_t padded = blocks_of(inner, kBfloatInner) * kBfloatInner;
  for (; first < end; first += kBfloatColumns, to += panel) {
    const int64_t columns = std::min(kBfloatColumns, end - first);
    const uint16_t* const b = p.b + first * p.ldb + from;
    if (columns < kBfloatColumns)
      std::memset(to, 0, static_cast<std::size_t>(padded * kBfloatColumns) * sizeof(uint16_t));
    int64_t done = 0;
    if (p.ldb % 2 == 0 && reinterpret_cast<std::uintptr_t>(b) % 4 == 0) {  // pairs are words
      done = inner / 2 * 2;
      kernels().transpose[4](to, kBfloatColumns, b, p.ldb / 2, columns, inner / 2);
    }
    for (int64_t l = done; l < padded; ++l)
      for (int64_t j = 0; j < columns; ++j)
        to[(l / 2 * kBfloatColumns + j) * 2 + l % 2] = l < inner ? b[j * p.ldb + l] : uint16_t(0);
  }
}

void multiply_bfloat(const HalfProblem& problem) {
  // (Tiles add in another order: with them, all products have their bits.)
  const bool outer = problem.k <= kBfloatThinRows && !problem.tb,
             thin =
                 std::min(problem.m, problem.n) <= kBfloatThinRows && std::max(problem.m, problem.n) >= kBfloatColumns;
  if ((outer || thin) && !bfloat_kernels()->tiles) return multiply_bfloat_rows(problem);
  const Task task = arranged(problem);
  const HalfProblem& p = task.p;
  const int64_t padded = blocks_of(p.k, kBfloatInner) * kBfloatInner, panels = blocks_of(p.n, kBfloatColumns),
                size = padded * kBfloatColumns;
  const int64_t row_blocks = blocks_of(p.m, kBfloatRows), threads = thread_count();
  // Panels that several blocks of rows use are packed once.
  std::optional<ScratchBuffer> memory;
  uint16_t* packed = nullptr;
  if (row_blocks > 1) {
    packed = reinterpret_cast<uint16_t*>(memory.emplace(panels * size / 2).data());
    parallel_ranges(p.n, p.k * p.n, kBfloatColumns, [&](int64_t begin, int64_t end) {
      pack_bfloat_panels(columns_of(p), begin, end, 0, p.k, size, packed + begin / kBfloatColumns * size);
    });
  }
  const int64_t width = std::clamp<int64_t>(panels * row_blocks / (2 * threads), 1, std::min(panels, kMostPanels));
  const int64_t groups = blocks_of(panels, width);
  parallel_ranges(groups * row_blocks, p.m * p.n * padded / 64 + p.k * p.n, 1, [&](int64_t begin, int64_t end) {
    const Group group(task, packed, size);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / row_blocks * width;
      group.run(i % row_blocks * kBfloatRows, first, std::min(width, panels - first));
    }
  });
}

}  // namespace chainer::cpu
