// SPDX-License-Identifier: MIT
// The product of images in a grid (bfloat_grid.h) and filters.
#pragma once
#include <vector>

#include "chainer/array/array.h"
#include "chainer/backend/cpu/convolution/bfloat_grid.h"

namespace chainer::cpu {

/// Filters (K, C, kh, kw) as matrices (K, C), one for each tap.
class FilterMatrices {
 public:
  /// `filters` is contiguous.
  explicit FilterMatrices(const Array& filters);
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const uint16_t* at(int64_t tap) const {
    return reinterpret_cast<const uint16_t*>(memory_.data()) + tap * rows_ * columns_;
  }

 private:
  int64_t rows_, columns_;
  ScratchBuffer memory_;
};

/// A tap: its offset in the grid, in rows, and its number among those of the filters.
struct GridTap {
  int64_t offset, number;
};

/// The pixels (N, lines, pixels, channels) to which the results of a grid are written: result (n, y, x) is pixel (n, y
/// * step_y + first_y, x * step_x + first_x). `bias`, one element for each channel, may be null.
struct GridTarget {
  uint16_t* to;
  int64_t lines, pixels, channels;
  int64_t step_y, first_y, step_x, first_x;
  const uint16_t* bias;

  uint16_t* pixel(int64_t n, int64_t y, int64_t x) const {
    return to + ((n * lines + y * step_y + first_y) * pixels + x * step_x + first_x) * channels;
  }
};

/// Writes the sums over the taps of the products of pixels and filters. The channels of the result are the filters'
/// first axis, or their second one if they are `turned`.
void multiply_grid(const BfloatGrid& grid, const std::vector<GridTap>& taps, const FilterMatrices& filters, bool turned,
                   const GridTarget& target);

}  // namespace chainer::cpu
