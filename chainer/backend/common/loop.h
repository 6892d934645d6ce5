// SPDX-License-Identifier: MIT
// Plans for traversing several arrays of one shape together: drops axes of length one, makes the axis with the smallest
// stride the innermost one, and merges axes that are contiguous in every array.
#pragma once
#include <algorithm>
#include <span>

#include "chainer/array/array.h"

namespace chainer {

template <int N>
struct Loop {
  int ndim = 0;
  int64_t size = 1;
  int64_t extent[kMaxNdim];     ///< innermost first
  int64_t stride[N][kMaxNdim];  ///< in elements, innermost first

  /// Returns true if the elements of array k are consecutive in memory.
  bool dense(int k) const { return ndim <= 1 && (ndim == 0 || stride[k][0] == 1 || extent[0] == 1); }

  /// Calls f(offset, position, count) for the runs along the innermost axis that cover elements [start, start + n).
  template <class F>
  void walk(int k, int64_t start, int64_t n, F&& f) const {
    if (ndim <= 1) return f(ndim ? start * stride[k][0] : 0, int64_t(0), n);
    int64_t at[kMaxNdim], rest = start, offset = 0;
    for (int d = 0; d < ndim; ++d) {
      at[d] = rest % extent[d];
      rest /= extent[d];
      offset += at[d] * stride[k][d];
    }
    for (int64_t position = 0;;) {
      const int64_t run = std::min(n - position, extent[0] - at[0]);
      f(offset, position, run);
      position += run;
      if (position >= n) return;
      offset -= at[0] * stride[k][0];
      at[0] = 0;
      for (int d = 1; d < ndim; ++d) {
        offset += stride[k][d];
        if (++at[d] < extent[d]) break;
        offset -= extent[d] * stride[k][d];
        at[d] = 0;
      }
    }
  }
};

/// Returns the offset of element number `index` of array k.
template <int N>
int64_t offset_of(const Loop<N>& loop, int k, int64_t index) {
  int64_t offset = 0;
  for (int d = 0; d < loop.ndim; ++d) {
    offset += index % loop.extent[d] * loop.stride[k][d];
    index /= loop.extent[d];
  }
  return offset;
}

/// Returns the plan for arrays of `shape` with these strides. With `reorder`, axes are sorted by the strides of array
/// 0.
template <int N>
Loop<N> make_loop(const Dims& shape, const std::array<const Strides*, N>& strides, int count, bool reorder = true) {
  Loop<N> loop;
  int axes[kMaxNdim], n = 0;
  for (int d = shape.ndim() - 1; d >= 0; --d) {
    loop.size *= shape[d];
    if (shape[d] != 1) axes[n++] = d;
  }
  if (reorder) {
    const Strides& first = *strides[0];
    std::stable_sort(axes, axes + n, [&](int a, int b) { return std::abs(first[a]) < std::abs(first[b]); });
  }
  for (int i = 0; i < n; ++i) {
    const int d = axes[i];
    bool merge = loop.ndim > 0;
    for (int k = 0; merge && k < count; ++k) {
      const int last = loop.ndim - 1;
      merge = (*strides[k])[d] == loop.stride[k][last] * loop.extent[last];
    }
    if (merge) {
      loop.extent[loop.ndim - 1] *= shape[d];
      continue;
    }
    loop.extent[loop.ndim] = shape[d];
    for (int k = 0; k < count; ++k) loop.stride[k][loop.ndim] = (*strides[k])[d];
    ++loop.ndim;
  }
  return loop;
}

}  // namespace chainer
