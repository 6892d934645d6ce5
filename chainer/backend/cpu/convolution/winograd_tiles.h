// SPDX-License-Identifier: MIT
// The tiles of Winograd's algorithm, and the memory layout of transformed tiles.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/kernels/winograd_table.h"

namespace chainer::cpu {

/// A convolution with stride s and filters of s * r taps per axis is the sum of s * s convolutions ("phases") with
/// stride one: of every s-th pixel with every s-th tap.
struct WinogradForm {
  explicit WinogradForm(const ConvolutionPlan& plan)
      : transforms(plan.stride[0] == 1 ? winograd_kernels().three : winograd_kernels().two),
        stride(plan.stride[0]),
        phases(stride * stride),
        filter(transforms.taps * stride),
        products(transforms.side * transforms.side) {}
  const WinogradTransforms& transforms;
  int64_t stride, phases;
  int64_t filter;    ///< number of taps along an axis
  int64_t products;  ///< number of matrix products
  /// Returns the position of tap (i, j) of a phase in the filter.
  int64_t tap(int64_t phase, int64_t i, int64_t j) const {
    return (i * stride + phase / stride) * filter + j * stride + phase % stride;
  }
};

/// Returns the distance in floats between two of the matrices, chosen so that equal rows are in different cache sets.
inline int64_t spread(int64_t floats) { return (floats + 1023) / 1024 * 1024 + 80; }

/// The layout of a matrix of transformed tiles: `group` columns of a row are adjacent, followed by those of the next
/// row.
class TileRows {
 public:
  TileRows(int64_t columns, int64_t rows, int64_t group) {
    // (With power-of-two lengths, the elements of a column would share one cache set.)
    const int64_t step = group == columns ? columns + 16 : group;
    for (int64_t c = 0; c < columns; c += panel_kernels().lanes) {
      base_.push_back(c / group * group * rows + c % group);
      step_.push_back(step);
    }
    apart_ = spread(std::max(step, columns) * rows);
  }
  int64_t step() const { return step_[0]; }
  /// Returns the order of the columns from `first` on.
  VectorOrder order(int64_t first = 0) const {
    const int64_t v = first / panel_kernels().lanes;
    return {base_.data() + v, step_.data() + v};
  }
  int64_t apart() const { return apart_; }

 private:
  int64_t apart_;
  std::vector<int64_t> base_, step_;
};

/// The tiles of some images of lines * pixels results: their number, and the first pixel of each.
struct Tiles {
  Tiles(int64_t images, int64_t lines, int64_t pixels)
      : columns((pixels + kTileOut - 1) / kTileOut),
        of_image((lines + kTileOut - 1) / kTileOut * columns),
        count(images * of_image) {}
  int64_t columns, of_image, count;
  int64_t image(int64_t t) const { return t / of_image; }
  int64_t y(int64_t t) const { return t % of_image / columns * kTileOut; }
  int64_t x(int64_t t) const { return t % columns * kTileOut; }
};

/// The index of the kernels for images of a dtype, float32 or bfloat16.
inline int element_kernel(const Array& a) { return a.dtype() == bfloat16; }

/// An array (N, C, h, w) of float32 or bfloat16 with adjacent channels: the array itself, or a copy.
struct TileImages {
  explicit TileImages(const Array& a)
      : array(a.strides()[1] == 1 ? a : channels_to_front(channels_to_end(a).contiguous())),
        data(static_cast<const char*>(array.raw())),
        item(item_size(array.dtype())),
        shape(array.shape()),
        step(array.strides()),
        none(static_cast<std::size_t>(shape[1])) {}
  /// Returns the addresses of side * side pixels, every `stride`-th from (y, x) on; of zeros outside of the image.
  void pixels(int64_t side, int64_t stride, int64_t image, int64_t y, int64_t x, const void** to) const {
    const int64_t last = (side - 1) * stride, right = step[3] * stride * item, down = step[2] * stride * item;
    const char* line = data + (image * step[0] + y * step[2] + x * step[3]) * item;
    const bool inner = y >= 0 && x >= 0 && y + last < shape[2] && x + last < shape[3];
    for (int64_t i = 0; i < side; ++i, line += down) {
      const char* pixel = line;
      if (inner) {
        for (int64_t j = 0; j < side; ++j, pixel += right) *to++ = pixel;
        continue;
      }
      const bool there = y + i * stride >= 0 && y + i * stride < shape[2];
      for (int64_t j = 0, at = x; j < side; ++j, pixel += right, at += stride)
        *to++ = there && at >= 0 && at < shape[3] ? pixel : static_cast<const void*>(none.data());
    }
  }
  int64_t channels() const { return shape[1]; }
  int kernel() const { return element_kernel(array); }
  int64_t vectors() const { return shape[1] / panel_kernels().lanes; }

  Array array;
  const char* data;
  int64_t item;  // bytes of an element
  Shape shape;
  Strides step;
  std::vector<float> none;
};

}  // namespace chainer::cpu
