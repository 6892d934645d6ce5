// The second matrix of products by kernels/panels.cpp.
#pragma once
#include <cstdint>
#include <vector>

#include "chainer/backend/cpu/kernels/panel_table.h"

namespace chainer::cpu {

/// The columns of a matrix in panels of a few vectors, of each its rows one behind the other.
class Panels {
 public:
  Panels(int64_t columns, int64_t rows) : rows_(rows) {
    const PanelKernels& k = panel_kernels();
    const int64_t vectors = columns / k.lanes, panels = (vectors + k.vectors - 1) / k.vectors;
    for (int64_t p = 0; p <= panels; ++p) first_.push_back(vectors * p / panels);
    for (int64_t p = 0; p < panels; ++p)
      for (int64_t v = first_[p]; v < first_[p + 1]; ++v) {
        base_.push_back((first_[p] * rows + v - first_[p]) * k.lanes);
        step_.push_back((first_[p + 1] - first_[p]) * k.lanes);
      }
  }
  int64_t count() const { return static_cast<int64_t>(first_.size()) - 1; }
  int64_t first(int64_t panel) const { return first_[static_cast<std::size_t>(panel)]; }  // its first vector
  int64_t vectors(int64_t panel) const { return first(panel + 1) - first(panel); }
  int64_t at(int64_t panel) const { return first(panel) * rows_ * panel_kernels().lanes; }  // its first float
  /// The order of the vectors from `first` on.
  VectorOrder order(int64_t first = 0) const { return {base_.data() + first, step_.data() + first}; }
  int64_t size() const { return first_.back() * rows_ * panel_kernels().lanes; }  // in floats

 private:
  int64_t rows_;
  std::vector<int64_t> first_, base_, step_;
};

}  // namespace chainer::cpu
