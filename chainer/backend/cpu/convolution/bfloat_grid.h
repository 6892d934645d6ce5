// SPDX-License-Identifier: MIT
// Images of bfloat16 in an order in which a convolution is a product of matrices whose rows overlap.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"

namespace chainer::cpu {

/// An axis of a convolution: position y of the result reads y * stride + t - pad for each t in `taps`. Elements of the
/// padded input whose positions have the same remainder by the stride (a phase) are adjacent: the reading of tap t is
/// element y + t / stride of phase t % stride.
///
/// The positions of consecutive lines have distance `pitch`, which is less than the padded length: zeros after a line
/// are those before the next one.
struct GridAxis {
  GridAxis(int64_t in, int64_t out, int64_t stride, int64_t pad, std::vector<int64_t> taps);
  /// Elements [begin, end) of a phase are in the input; others are zero.
  int64_t begin(int64_t phase) const;
  int64_t end(int64_t phase) const;
  int64_t input(int64_t i, int64_t phase) const { return i * stride + phase - pad; }

  int64_t in, out, stride, pad;
  std::vector<int64_t> taps;
  int64_t reach;  ///< the largest t / stride
  int64_t pitch;
};

/// The padded copy of images (N, H, W, C), whose channels are adjacent in memory. Result (n, y, x) has row (n * lines +
/// y) * pixels + x, and element c of a tap is at (row + offset) * channels() + c. Rows for which there is no result
/// may be read, too.
class BfloatGrid {
 public:
  /// `images` is contiguous.
  BfloatGrid(const Array& images, const GridAxis& y, const GridAxis& x);

  int64_t rows() const { return batch_ * y_.pitch * x_.pitch; }
  int64_t channels() const { return channels_; }  ///< a multiple of 32, padded with zeros
  const uint16_t* data() const { return reinterpret_cast<const uint16_t*>(memory_.data()); }
  /// Return the offset of a pair of taps in rows: that of its phase, and that within the phase.
  int64_t phase_offset(int64_t ty, int64_t tx) const { return (ty % y_.stride * x_.stride + tx % x_.stride) * region_; }
  int64_t offset_in_phase(int64_t ty, int64_t tx) const { return ty / y_.stride * x_.pitch + tx / x_.stride; }
  /// Returns how many rows after rows() a tap may read.
  int64_t reach() const { return y_.reach * x_.pitch + x_.reach; }

  /// Calls f(row, n, y, x) for each of the rows [begin, end) that has a result.
  template <class F>
  void each_result(int64_t begin, int64_t end, F&& f) const {
    int64_t x = begin % x_.pitch, y = begin / x_.pitch % y_.pitch, n = begin / x_.pitch / y_.pitch;
    for (int64_t row = begin; row < end; ++row) {
      if (x < x_.out && y < y_.out) f(row, n, y, x);
      if (++x < x_.pitch) continue;
      x = 0;
      if (++y == y_.pitch) y = 0, ++n;
    }
  }

 private:
  static constexpr int64_t kAfter = 64;  // rows that blocks may read after the last one

  void copy_line(const uint16_t* image, int64_t i, int64_t phase_y, int64_t phase_x, uint16_t* to) const;

  const GridAxis y_, x_;
  int64_t batch_, given_, channels_, region_;
  ScratchBuffer memory_;
};

}  // namespace chainer::cpu
