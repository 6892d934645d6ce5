// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/convolution.h"

namespace chainer::cuda {
namespace {

using Args = ConvolutionArgs;

// The meaning of a row, step or column number: an image (if any), a channel and a place.
struct Index {
  int image, channel;
  Place place;
  bool is_inside;
};
DEVICE Index pixel(int n, const int (&extent)[Windows::kAxes], int end) {
  Index i{0, 0, {}, n < end};
  i.place = split(n, extent);
  i.image = n;
  return i;
}
DEVICE Index tap(int n, const Windows& w, int channels, int end) {
  Index i{0, n % channels, {}, n < end};
  n /= channels;
  i.place = split(n, w.ksize);
  return i;
}
DEVICE Index channel(int n, int end) { return {0, n, {}, n < end}; }

template <class T>
DEVICE T at(const Images& a, int image, int channel, const Place& p) {
  int64_t offset = image * a.image + channel * a.channel;
  for (int d = 0; d < Windows::kAxes; ++d) offset += p.at[d] * a.axis[d];
  return load<T>(a.data + offset, a.type);
}
// Computes the pixel of x under an element of the filter for a result, and the reverse; returns false if there is none.
DEVICE bool under(const Windows& w, const Place& result, const Place& k, Place& x) {
  bool found = true;
  for (int d = 0; d < Windows::kAxes; ++d) {
    x.at[d] = result.at[d] * w.stride[d] - w.pad[d] + k.at[d] * w.dilate[d];
    found = found && x.at[d] >= 0 && x.at[d] < w.size[d];
  }
  return found;
}
DEVICE bool over(const Windows& w, const Place& x, const Place& k, Place& result) {
  bool found = true;
  for (int d = 0; d < Windows::kAxes; ++d) {
    const int from = x.at[d] + w.pad[d] - k.at[d] * w.dilate[d];
    result.at[d] = from / w.stride[d];
    found = found && from >= 0 && result.at[d] * w.stride[d] == from && result.at[d] < w.out[d];
  }
  return found;
}

// The three operations: the meaning of rows, steps and columns, the elements of both matrices, and the positions of
// results. Channels are those of group g.
template <class T>
struct Forward {
  static DEVICE Index row(const Args& a, int n) { return pixel(n, a.windows.out, a.rows); }
  static DEVICE Index step(const Args& a, int n) { return tap(n, a.windows, a.channels, a.steps); }
  static DEVICE Index column(const Args& a, int n) { return channel(n, a.columns); }
  static DEVICE T left(const Args& a, int g, const Index& row, const Index& step) {
    Place p;
    if (!under(a.windows, row.place, step.place, p)) return T(0);
    return at<T>(a.x, row.image, g * a.channels + step.channel, p);
  }
  static DEVICE T right(const Args& a, int g, const Index& step, const Index& column) {
    return at<T>(a.w, g * a.filters + column.channel, step.channel, step.place);
  }
  static DEVICE const Images& out(const Args& a) { return a.y; }
  static DEVICE Index result(const Args& a, int g, const Index& row, const Index& column) {
    return {row.image, g * a.filters + column.channel, row.place, true};
  }
};
template <class T>
struct BackwardData {
  static DEVICE Index row(const Args& a, int n) { return pixel(n, a.windows.size, a.rows); }
  static DEVICE Index step(const Args& a, int n) { return tap(n, a.windows, a.filters, a.steps); }
  static DEVICE Index column(const Args& a, int n) { return channel(n, a.columns); }
  static DEVICE T left(const Args& a, int g, const Index& row, const Index& step) {
    Place p;
    if (!over(a.windows, row.place, step.place, p)) return T(0);
    return at<T>(a.y, row.image, g * a.filters + step.channel, p);
  }
  static DEVICE T right(const Args& a, int g, const Index& step, const Index& column) {
    return at<T>(a.w, g * a.filters + step.channel, column.channel, step.place);
  }
  static DEVICE const Images& out(const Args& a) { return a.x; }
  static DEVICE Index result(const Args& a, int g, const Index& row, const Index& column) {
    return {row.image, g * a.channels + column.channel, row.place, true};
  }
};
template <class T>
struct BackwardWeights {
  static DEVICE Index row(const Args& a, int n) { return channel(n, a.rows); }
  static DEVICE Index step(const Args& a, int n) { return pixel(n, a.windows.out, a.steps); }
  static DEVICE Index column(const Args& a, int n) { return tap(n, a.windows, a.channels, a.columns); }
  static DEVICE T left(const Args& a, int g, const Index& row, const Index& step) {
    return at<T>(a.y, step.image, g * a.filters + row.channel, step.place);
  }
  static DEVICE T right(const Args& a, int g, const Index& step, const Index& column) {
    Place p;
    if (!under(a.windows, step.place, column.place, p)) return T(0);
    return at<T>(a.x, step.image, g * a.channels + column.channel, p);
  }
  static DEVICE const Images& out(const Args& a) { return a.w; }
  static DEVICE Index result(const Args& a, int g, const Index& row, const Index& column) {
    return {g * a.filters + row.channel, column.channel, column.place, true};
  }
};

// A thread computes 4 x 4 results, and copies 4 elements of each matrix for 16 steps to shared memory.
template <class T, class Operation>
DEVICE void convolve(const Args& a) {
  constexpr int kSteps = 16, kEach = 4;
  SHARED(T, left, [kSteps][Args::kTile + 1]);
  SHARED(T, right, [kSteps][Args::kTile + 1]);
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int group = blockIdx.z / a.parts, part = blockIdx.z % a.parts;
  const int begin = static_cast<int>(int64_t(a.steps) * part / a.parts),
            end = static_cast<int>(int64_t(a.steps) * (part + 1) / a.parts);
  const int first_row = blockIdx.x * Args::kTile, first_column = blockIdx.y * Args::kTile;
  Index rows[kEach], columns[kEach];
  T sums[kEach][kEach];
  UNROLL
  for (int i = 0; i < kEach; ++i) {
    rows[i] = Operation::row(a, first_row + y + 16 * i);
    columns[i] = Operation::column(a, first_column + y + 16 * i);
    UNROLL
    for (int k = 0; k < kEach; ++k) sums[i][k] = T(0);
  }
  for (int k = begin; k < end; k += kSteps) {
    const Index step = Operation::step(a, k + x);
    const bool is_step = k + x < end;
    UNROLL
    for (int i = 0; i < kEach; ++i) {
      left[x][y + 16 * i] = is_step && rows[i].is_inside ? Operation::left(a, group, rows[i], step) : T(0);
      right[x][y + 16 * i] = is_step && columns[i].is_inside ? Operation::right(a, group, step, columns[i]) : T(0);
    }
    __syncthreads();
    UNROLL
    for (int s = 0; s < kSteps; ++s) UNROLL
    for (int i = 0; i < kEach; ++i) UNROLL
    for (int j = 0; j < kEach; ++j) sums[i][j] += left[s][y + 16 * i] * right[s][x + 16 * j];
    __syncthreads();
  }
  const Images& out = Operation::out(a);
  UNROLL
  for (int j = 0; j < kEach; ++j) {
    const Index column = Operation::column(a, first_column + x + 16 * j);
    UNROLL
    for (int i = 0; i < kEach; ++i) {
      if (!rows[i].is_inside || !column.is_inside) continue;
      const Index r = Operation::result(a, group, rows[i], column);
      int64_t offset = part * a.part + r.image * out.image + r.channel * out.channel;
      for (int d = 0; d < Windows::kAxes; ++d) offset += r.place.at[d] * out.axis[d];
      T v = sums[i][j];
      if (a.bias) v += load<T>(a.bias + r.channel * a.bias_step, a.bias_type);
      if (a.accumulate) v += load<T>(out.data + offset, out.type);
      store(out.data + offset, out.type, v);
    }
  }
}

}  // namespace

KERNEL(convolution_float32, ConvolutionArgs) { convolve<float, Forward<float>>(a); }
KERNEL(convolution_float64, ConvolutionArgs) { convolve<double, Forward<double>>(a); }
KERNEL(convolution_data_float32, ConvolutionArgs) { convolve<float, BackwardData<float>>(a); }
KERNEL(convolution_data_float64, ConvolutionArgs) { convolve<double, BackwardData<double>>(a); }
KERNEL(convolution_weights_float32, ConvolutionArgs) { convolve<float, BackwardWeights<float>>(a); }
KERNEL(convolution_weights_float64, ConvolutionArgs) { convolve<double, BackwardWeights<double>>(a); }

}  // namespace chainer::cuda
