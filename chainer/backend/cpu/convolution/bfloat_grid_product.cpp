// SPDX-License-Identifier: MIT
// The filters are packed into panels (kernels/bfloat_table.h) whose inner axis has one segment for each tap. Blocks of
// rows are multiplied by as many panels as stay in the second-level cache.
#include "chainer/backend/cpu/convolution/bfloat_grid_product.h"

#include <algorithm>

#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/bfloat_product.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kCached = int64_t(1) << 20;  // bytes of filters that stay in the second-level cache

class GridProduct {
 public:
  GridProduct(const BfloatGrid& grid, const std::vector<GridTap>& taps, const FilterMatrices& filters, bool turned,
              const GridTarget& target)
      : grid_(grid),
        target_(target),
        columns_(turned ? filters.columns() : filters.rows()),
        panels_(blocks_of(columns_, kBfloatColumns)),
        panel_size_(static_cast<int64_t>(taps.size()) * grid.channels() * kBfloatColumns),
        packed_(panels_ * panel_size_ / 2) {
    for (const GridTap& t : taps) offsets_.push_back(t.offset * grid.channels());
    const int64_t inner = turned ? filters.rows() : filters.columns();
    auto* const to = reinterpret_cast<uint16_t*>(packed_.data());
    parallel_ranges(panels_, columns_ * inner * static_cast<int64_t>(taps.size()), 1, [&](int64_t begin, int64_t end) {
      for (std::size_t t = 0; t < taps.size(); ++t)
        pack_bfloat_panels({filters.at(taps[t].number), filters.columns(), !turned}, begin * kBfloatColumns,
                           std::min(columns_, end * kBfloatColumns), 0, inner, panel_size_,
                           to + begin * panel_size_ + static_cast<int64_t>(t) * grid.channels() * kBfloatColumns);
    });
  }

  void run() const {
    const int64_t blocks = blocks_of(grid_.rows(), kBfloatRows);
    const int64_t width =
        std::clamp<int64_t>(kCached / std::max<int64_t>(1, panel_size_ * 2), 1, std::min(panels_, kMostPanels));
    const int64_t groups = blocks_of(panels_, width);
    parallel_ranges(groups * blocks, grid_.rows() * columns_ * panel_size_ / (kBfloatColumns * 64), 1,
                    [&](int64_t begin, int64_t end) {
                      const ScratchBuffer sums(kBfloatRows * kMostPanels * kBfloatColumns);
                      for (int64_t i = begin; i < end; ++i)
                        block(i % blocks * kBfloatRows, i / blocks * width, width, sums.data());
                    });
  }

 private:
  static constexpr int64_t kMostPanels = 4;  // whose sums stay in the first-level cache

  void block(int64_t row, int64_t panel, int64_t width, float* sums) const {
    const int64_t rows = std::min(kBfloatRows, grid_.rows() - row), panels = std::min(width, panels_ - panel);
    const int64_t column = panel * kBfloatColumns, columns = std::min(panels * kBfloatColumns, columns_ - column);
    bfloat_kernels()->product({.a = grid_.data() + row * grid_.channels(),
                               .a_row = grid_.channels(),
                               .a_step = kBfloatInner,
                               .offsets = offsets_.data(),
                               .segments = static_cast<int64_t>(offsets_.size()),
                               .steps = grid_.channels() / kBfloatInner,
                               .few_rows = rows <= kBfloatRows / 2,
                               .b = reinterpret_cast<const uint16_t*>(packed_.data()) + panel * panel_size_,
                               .b_panel = panel_size_,
                               .panels = panels,
                               .narrow = columns - (panels - 1) * kBfloatColumns <= kBfloatColumns / 2,
                               .sums = sums,
                               .sums_row = kMostPanels * kBfloatColumns,
                               .start = true});
    float bias[kMostPanels * kBfloatColumns];
    if (target_.bias) kernels().load[kF32][static_cast<int>(bfloat16)](bias, target_.bias + column, 1, columns);
    grid_.each_result(row, row + rows, [&](int64_t at, int64_t n, int64_t y, int64_t x) {
      float* const line = sums + (at - row) * kMostPanels * kBfloatColumns;
      if (target_.bias)
        for (int64_t j = 0; j < columns; ++j) line[j] += bias[j];
      bfloat_kernels()->round(target_.pixel(n, y, x) + column, line, columns);
    });
  }

  const BfloatGrid& grid_;
  const GridTarget& target_;
  std::vector<int64_t> offsets_;
  int64_t columns_, panels_, panel_size_;
  ScratchBuffer packed_;
};

}  // namespace

FilterMatrices::FilterMatrices(const Array& filters)
    : rows_(filters.shape()[0]), columns_(filters.shape()[1]), memory_((filters.size() + 1) / 2) {
  const int64_t taps = filters.shape()[2] * filters.shape()[3], size = rows_ * columns_;
  const auto* const from = static_cast<const uint16_t*>(filters.raw());
  auto* const to = reinterpret_cast<uint16_t*>(memory_.data());
  parallel_ranges(size, filters.size(), 64, [&](int64_t begin, int64_t end) {
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t i = begin; i < end; ++i) to[t * size + i] = from[i * taps + t];
  });
}

void multiply_grid(const BfloatGrid& grid, const std::vector<GridTap>& taps, const FilterMatrices& filters, bool turned,
                   const GridTarget& target) {
  GridProduct(grid, taps, filters, turned, target).run();
}

}  // namespace chainer::cpu
