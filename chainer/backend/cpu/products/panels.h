// SPDX-License-Identifier: MIT
// The layout of the second matrix of products by kernels/panels.cpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "chainer/backend/cpu/kernels/panel_table.h"

namespace chainer::cpu {

/// The columns of a matrix in panels of a few vectors; the rows of a panel are consecutive. The last vector is padded
/// with zeros.
class Panels {
 public:
  Panels(int64_t columns, int64_t rows)
      : lanes_(panel_kernels().lanes),
        columns_(columns),
        rows_(rows),
        all_((columns + lanes_ - 1) / lanes_),
        count_((all_ + panel_kernels().vectors - 1) / panel_kernels().vectors) {}
  int64_t count() const { return count_; }
  int64_t vectors() const { return all_; }                              // in a row
  int64_t size() const { return all_ * lanes_ * rows_; }                // in floats
  int64_t first(int64_t panel) const { return all_ * panel / count_; }  // its first vector
  int64_t vectors(int64_t panel) const { return first(panel + 1) - first(panel); }
  int64_t width(int64_t panel) const { return vectors(panel) * lanes_; }  // in floats
  int64_t column(int64_t panel) const { return first(panel) * lanes_; }   // its first column
  int64_t columns(int64_t panel) const { return std::min(columns_, column(panel + 1)) - column(panel); }
  int64_t at(int64_t panel) const { return column(panel) * rows_; }  // its first float

 private:
  int64_t lanes_, columns_, rows_, all_, count_;
};

/// The position of each vector of the panels.
class PanelOrder {
 public:
  explicit PanelOrder(const Panels& panels) {
    const int64_t lanes = panel_kernels().lanes;
    for (int64_t p = 0; p < panels.count(); ++p)
      for (int64_t v = 0; v < panels.vectors(p); ++v) {
        base_.push_back(panels.at(p) + v * lanes);
        step_.push_back(panels.width(p));
      }
  }
  /// Returns the order from vector `first` on.
  VectorOrder from(int64_t first) const { return {base_.data() + first, step_.data() + first}; }

 private:
  std::vector<int64_t> base_, step_;
};

}  // namespace chainer::cpu
