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
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kRows = kBfloatRows, kColumns = kBfloatColumns, kInner = kBfloatInner;
constexpr int64_t kPart = 1024;      // elements of the inner axis that are multiplied at a time
constexpr int64_t kMostPanels = 16;  // of a task

int64_t blocks(int64_t n, int64_t size) { return (n + size - 1) / size; }

// The product as it is computed: element (i, j) of the result is c[i * c_row + j * c_column].
struct Task {
  BfloatProblem p;
  int64_t c_row, c_column;
};

// Rows of a that are contiguous along the inner axis need no packing. If both operands are, the longer one is read in
// place.
Task arranged(const BfloatProblem& p) {
  if (p.ta || !p.tb || p.n <= p.m) return {p, p.ldc, 1};
  BfloatProblem flipped = p;
  flipped.m = p.n, flipped.n = p.m;
  flipped.a = p.b, flipped.lda = p.ldb;
  flipped.b = p.a, flipped.ldb = p.lda;
  return {flipped, 1, p.ldc};
}

// Packs elements [from, from + inner) of the inner axis of the columns [first, end) into panels of distance `size`.
void pack_panels(const BfloatProblem& p, int64_t first, int64_t end, int64_t from, int64_t inner, int64_t size,
                 uint16_t* to) {
  if (!p.tb) return bfloat_kernels()->pack(to, size, p.b + from * p.ldb + first, p.ldb, inner, end - first);
  const int64_t padded = blocks(inner, kInner) * kInner;
  for (; first < end; first += kColumns, to += size) {
    const int64_t columns = std::min(kColumns, end - first);
    const uint16_t* const b = p.b + first * p.ldb + from;
    if (columns < kColumns) std::memset(to, 0, static_cast<std::size_t>(padded * kColumns) * sizeof(uint16_t));
    int64_t done = 0;
    if (p.ldb % 2 == 0 && reinterpret_cast<std::uintptr_t>(b) % 4 == 0) {  // pairs are words
      done = inner / 2 * 2;
      kernels().transpose[4](to, kColumns, b, p.ldb / 2, columns, inner / 2);
    }
    for (int64_t l = done; l < padded; ++l)
      for (int64_t j = 0; j < columns; ++j)
        to[(l / 2 * kColumns + j) * 2 + l % 2] = l < inner ? b[j * p.ldb + l] : uint16_t(0);
  }
}

// Packs `inner` elements of `rows` rows in blocks of 32 x 32, padded with zeros.
void pack_rows(const BfloatProblem& p, int64_t row, int64_t rows, int64_t from, int64_t inner, uint16_t* to) {
  for (int64_t l = 0; l < inner; l += kInner, to += kRows * kInner) {
    const int64_t count = std::min(kInner, inner - l);
    if (rows < kRows || count < kInner) std::memset(to, 0, kRows * kInner * sizeof(uint16_t));
    if (p.ta) {
      kernels().transpose[2](to, kInner, p.a + (from + l) * p.lda + row, p.lda, count, rows);
      continue;
    }
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * kInner, p.a + (row + i) * p.lda + from + l, static_cast<std::size_t>(count) * sizeof(*to));
  }
}

// Writes a block of sums, whose rows have distance kMostPanels * kColumns.
class Writer {
 public:
  explicit Writer(const Task& t) : t_(t) {}
  void write(const float* sums, int64_t row, int64_t rows, int64_t column, int64_t columns) const {
    constexpr int64_t kStep = kMostPanels * kColumns;
    if (t_.c_column == 1) {
      for (int64_t i = 0; i < rows; ++i) line((row + i) * t_.c_row + column, sums + i * kStep, columns);
      return;
    }
    float turned[kColumns * kRows];
    for (int64_t j = 0; j < columns; j += kColumns) {
      const int64_t count = std::min(kColumns, columns - j);
      kernels().transpose[4](turned, kRows, sums + j, kStep, rows, count);
      for (int64_t i = 0; i < count; ++i) line((column + j + i) * t_.c_column + row, turned + i * kRows, rows);
    }
  }

 private:
  // n consecutive elements of the result
  void line(int64_t at, const float* sums, int64_t n) const {
    const BfloatProblem& p = t_.p;
    const int type = static_cast<int>(p.c_is_float ? float32 : bfloat16);
    void* const to =
        static_cast<char*>(p.c) + at * static_cast<int64_t>(p.c_is_float ? sizeof(float) : sizeof(uint16_t));
    if (p.alpha == 1 && p.beta == 0 && !p.c_is_float)
      return bfloat_kernels()->round(static_cast<uint16_t*>(to), sums, n);
    float values[kMostPanels * kColumns];
    if (p.beta == 0)
      std::fill_n(values, n, 0.f);
    else
      kernels().load[kF32][type](values, to, 1, n);
    for (int64_t j = 0; j < n; ++j) values[j] = (p.beta == 0 ? 0 : p.beta * values[j]) + p.alpha * sums[j];
    kernels().store[kF32][type](to, 1, values, n);
  }
  const Task& t_;
};

// The computation of a block of rows and a group of panels.
class Group {
 public:
  // If `packed` is null, panels are packed where they are used.
  Group(const Task& t, const uint16_t* packed, int64_t panel_size)
      : t_(t), packed_(packed), panel_size_(packed ? panel_size : std::min(panel_size, kPart * kColumns)) {
    if (!packed) panels_.emplace(kMostPanels * panel_size_ / 2);
  }

  void run(int64_t row, int64_t first, int64_t count) const {
    const BfloatProblem& p = t_.p;
    const int64_t rows = std::min(kRows, p.m - row), most = p.k <= kPart ? kPanelsInCache : kMostPanels;
    for (int64_t panel = first; panel < first + count; panel += most) {
      const int64_t panels = std::min(most, first + count - panel), column = panel * kColumns;
      const int64_t columns = std::min(panels * kColumns, p.n - column);
      for (int64_t from = 0; from < p.k; from += kPart) {
        const int64_t inner = std::min(kPart, p.k - from);
        const uint16_t* b = packed_ + panel * panel_size_ + from * kColumns;
        if (!packed_) b = panels_packed(column, columns, from, inner);
        // Whole blocks are read in place, unless there are few of them and a rest.
        const int64_t complete = p.ta || rows < kRows ? 0 : inner / kInner;
        const int64_t whole = complete * kInner == inner || complete >= kManySteps ? complete : 0;
        BfloatProduct product{.a = p.a + row * p.lda + from,
                              .a_row = p.lda,
                              .a_step = kInner,
                              .few_rows = rows <= kRows / 2,
                              .b = b,
                              .b_panel = panel_size_,
                              .panels = panels,
                              .narrow = columns - (panels - 1) * kColumns <= kColumns / 2,
                              .steps = whole,
                              .sums = sums_.data(),
                              .sums_row = kMostPanels * kColumns,
                              .start = from == 0};
        if (whole) {
          bfloat_kernels()->product(product);
          product.start = false;
        }
        if (whole * kInner == inner) continue;
        if (panel == first || p.k > kPart)
          pack_rows(p, row, rows, from + whole * kInner, inner - whole * kInner, rows_at());
        product.a = rows_at(), product.a_row = kInner, product.a_step = kRows * kInner;
        product.b += whole * kInner * kColumns;
        product.steps = blocks(inner, kInner) - whole;
        bfloat_kernels()->product(product);
      }
      Writer(t_).write(sums_.data(), row, rows, column, columns);
    }
  }

 private:
  static constexpr int64_t kPanelsInCache = 4;  // whose sums stay in the first-level cache
  static constexpr int64_t kManySteps = 8;

  const uint16_t* panels_packed(int64_t column, int64_t columns, int64_t from, int64_t inner) const {
    auto* const to = reinterpret_cast<uint16_t*>(panels_->data());
    pack_panels(t_.p, column, column + columns, from, inner, panel_size_, to);
    return to;
  }
  uint16_t* rows_at() const { return reinterpret_cast<uint16_t*>(rows_.data()); }

  const Task& t_;
  const uint16_t* packed_;
  int64_t panel_size_;
  ScratchBuffer sums_{kRows * kMostPanels * kColumns}, rows_{kRows * kPart / 2};
  std::optional<ScratchBuffer> panels_;
};

}  // namespace

void multiply_bfloat(const BfloatProblem& problem) {
  const Task task = arranged(problem);
  const BfloatProblem& p = task.p;
  const int64_t padded = blocks(p.k, kInner) * kInner, panels = blocks(p.n, kColumns), size = padded * kColumns;
  const int64_t row_blocks = blocks(p.m, kRows), threads = thread_count();
  // Panels that several blocks of rows use are packed once.
  std::optional<ScratchBuffer> memory;
  uint16_t* packed = nullptr;
  if (row_blocks > 1) {
    packed = reinterpret_cast<uint16_t*>(memory.emplace(panels * size / 2).data());
    parallel_ranges(p.n, p.k * p.n, kColumns, [&](int64_t begin, int64_t end) {
      pack_panels(p, begin, end, 0, p.k, size, packed + begin / kColumns * size);
    });
  }
  const int64_t width = std::clamp<int64_t>(panels * row_blocks / (2 * threads), 1, std::min(panels, kMostPanels));
  const int64_t groups = blocks(panels, width);
  parallel_ranges(groups * row_blocks, p.m * p.n * padded / 64 + p.k * p.n, 1, [&](int64_t begin, int64_t end) {
    const Group group(task, packed, size);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / row_blocks * width;
      group.run(i % row_blocks * kRows, first, std::min(width, panels - first));
    }
  });
}

}  // namespace chainer::cpu
