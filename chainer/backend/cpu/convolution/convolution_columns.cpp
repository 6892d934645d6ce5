// SPDX-License-Identifier: MIT
// Convolutions for every dtype and any number of spatial axes. Patches of the images become rows of a matrix, a bounded
// number of them at a time, which is multiplied by the filters. (If a patch is a single pixel, the images themselves
// are that matrix.)
#include <algorithm>
#include <cstring>
#include <vector>

#include "chainer/array/index.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

namespace {

constexpr int64_t kSliceBytes = 32 << 20;  // limit for the patches in memory

// The sizes of a convolution. Images are (N, in..., C), results (N, out..., K), filters (K, taps, C / groups).
struct Sizes {
  Sizes(const ConvolutionPlan& p, const Array& images, const Array& filters, const Array& results)
      : plan(p), axes(images.ndim() - 2), batch(images.shape()[0]), channels(images.shape()[axes + 1]) {
    for (int d = 0; d < axes; ++d) {
      in.push_back(images.shape()[d + 1]);
      out.push_back(results.shape()[d + 1]);
      kernel.push_back(filters.shape()[d + 1]);
    }
    taps = kernel.product();
    rows = batch * out.product();
    group_in = filters.shape()[axes + 1];
    group_out = filters.shape()[0] / plan.groups;
    width = taps * group_in;
    pixels = taps == 1 && plan.groups == 1 && in == out;
    for (int d = 0; d < axes; ++d) pixels = pixels && plan.stride[d] == 1 && plan.pad[d] == 0;
    for (int64_t t = 0; t < taps; ++t) {
      int64_t rest = t;
      Dims offset = Dims::filled(axes, 0);
      for (int d = axes - 1; d >= 0; --d) {
        offset[d] = rest % kernel[d] * plan.dilate[d];
        rest /= kernel[d];
      }
      tap_offsets.insert(tap_offsets.end(), offset.begin(), offset.end());
    }
  }
  // Calls f(row, tap, count, offset) for rows [begin, end): the elements of `count` taps from `tap` on begin at
  // `offset` in the images (in elements, first channel) and are consecutive; -1 for padding.
  template <class F>
  void visit(int64_t begin, int64_t end, F&& f) const {
    const int last = axes - 1;
    const int64_t line = kernel[last], step = plan.dilate[last];
    for (int64_t row = begin; row < end; ++row) {
      int64_t origin[kMaxNdim], rest = row;
      for (int d = last; d >= 0; --d) {
        origin[d] = rest % out[d] * plan.stride[d] - plan.pad[d];
        rest /= out[d];
      }
      for (int64_t t = 0; t < taps; t += line) {
        int64_t start = rest;
        for (int d = 0; d < last && start >= 0; ++d) {
          const int64_t at = origin[d] + tap_offsets[static_cast<std::size_t>(t * axes + d)];
          start = at < 0 || at >= in[d] ? -1 : start * in[d] + at;
        }
        if (start < 0) {
          f(row, t, line, int64_t(-1));
          continue;
        }
        start *= in[last];
        if (step == 1 && plan.groups == 1) {
          const int64_t first = std::clamp<int64_t>(-origin[last], 0, line),
                        inside_end = std::clamp<int64_t>(in[last] - origin[last], first, line);
          if (first > 0) f(row, t, first, int64_t(-1));
          if (inside_end > first) f(row, t + first, inside_end - first, (start + origin[last] + first) * channels);
          if (line > inside_end) f(row, t + inside_end, line - inside_end, int64_t(-1));
          continue;
        }
        for (int64_t k = 0; k < line; ++k) {
          const int64_t at = origin[last] + k * step;
          f(row, t + k, int64_t(1), at < 0 || at >= in[last] ? -1 : (start + at) * channels);
        }
      }
    }
  }

  const ConvolutionPlan& plan;
  int axes;
  int64_t batch, channels, taps, rows, group_in, group_out, width;
  bool pixels;  // every patch is a single pixel, in the order of the pixels
  Dims in, out, kernel;
  std::vector<int64_t> tap_offsets;
};

// Copies the patches of rows [begin, end), for the channels of one group, to the rows of `columns`.
template <class T>
void gather(const Sizes& s, const T* images, int64_t begin, int64_t end, int64_t group, T* columns) {
  const T* from = images + group * s.group_in;
  parallel_ranges(end - begin, (end - begin) * s.width, 1, [&](int64_t first, int64_t last) {
    s.visit(begin + first, begin + last, [&](int64_t row, int64_t tap, int64_t count, int64_t offset) {
      T* to = columns + (row - begin) * s.width + tap * s.group_in;
      const auto bytes = static_cast<std::size_t>(count * s.group_in) * sizeof(T);
      offset < 0 ? std::memset(static_cast<void*>(to), 0, bytes) : std::memcpy(to, from + offset, bytes);
    });
  });
}

// The adjoint of gather: adds the rows of `columns` to the images. Threads divide the images, or the channels of a few
// images, so that each sum has a fixed order.
template <class T>
void scatter(const Sizes& s, const T* columns, int64_t begin, int64_t end, int64_t group, T* images) {
  const int64_t positions = s.out.product(), image = begin / positions, count = (end - 1) / positions + 1 - image;
  const auto add = [&](int64_t first_row, int64_t last_row, int64_t first, int64_t last) {
    T* to = images + group * s.group_in;
    s.visit(first_row, last_row, [&](int64_t row, int64_t tap, int64_t taps, int64_t offset) {
      if (offset < 0) return;
      const T* from = columns + (row - begin) * s.width + tap * s.group_in;
      if (last - first == s.group_in)
        for (int64_t i = 0; i < taps * s.group_in; ++i) to[offset + i] += from[i];
      else
        for (int64_t t = 0; t < taps; ++t)
          for (int64_t c = t * s.group_in + first; c < t * s.group_in + last; ++c) to[offset + c] += from[c];
    });
  };
  const int64_t work = (end - begin) * s.width;
  if (count >= thread_count())
    parallel_ranges(count, work, 1, [&](int64_t i, int64_t j) {
      add(std::max(begin, (image + i) * positions), std::min(end, (image + j) * positions), 0, s.group_in);
    });
  else
    parallel_ranges(s.group_in, work, 1, [&](int64_t i, int64_t j) { add(begin, end, i, j); });
}

// Few results per small image, whose patches would consist largely of padding: uses lines of pixels in place, with one
// product per result and per line of the filters. Nothing is multiplied by padding.
constexpr int64_t kManyImages = 16;
bool suits_lines(const Sizes& s) {
  const int64_t positions = s.out.product();
  if (positions > kFewResults || s.batch < kManyImages || s.plan.groups != 1 || s.group_in < 16 ||
      s.plan.dilate[s.axes - 1] != 1)
    return false;
  int64_t inside = 0;
  s.visit(0, positions, [&](int64_t, int64_t, int64_t taps, int64_t offset) { inside += offset < 0 ? 0 : taps; });
  return 4 * inside <= 3 * positions * s.taps;
}
void by_lines(Backend& backend, Convolution op, const Sizes& s, Array& images, Array& filters, Array& results) {
  const int64_t positions = s.out.product();
  const Array pixels = images.reshape({s.batch, images.size() / s.batch});
  const Array matrix = filters.reshape({s.group_out, s.width});
  const Array rows = results.reshape({s.batch, positions, s.group_out});
  (op == Convolution::forward ? results : op == Convolution::backward_data ? images : filters).fill(0);
  s.visit(0, positions, [&](int64_t at, int64_t tap, int64_t taps, int64_t offset) {
    if (offset < 0) return;
    Array part = rows[{Slice(), at}], x = pixels[{Slice(), Slice(offset, offset + taps * s.channels)}];
    Array w = matrix[{Slice(), Slice(tap * s.channels, (tap + taps) * s.channels)}];
    if (op == Convolution::forward)
      backend.gemm(x, w.T(), part, 1, 1);
    else if (op == Convolution::backward_data)
      backend.gemm(part, w, x, 1, 1);
    else
      backend.gemm(part.T(), x, w, 1, 1);
  });
}

template <class T>
void by_columns(Backend& backend, Convolution op, const Sizes& s, Array& images, Array& filters, Array& results) {
  // These are views, because all three are contiguous.
  const Array rows = results.reshape({s.rows, s.plan.groups * s.group_out});
  const Array matrix = filters.reshape({s.plan.groups * s.group_out, s.width});
  const auto multiply = [&](Array& columns, Array& part, Array& weights, double beta) {
    if (op == Convolution::forward)
      backend.gemm(columns, weights.T(), part, 1, 0);
    else if (op == Convolution::backward_data)
      backend.gemm(part, weights, columns, 1, 0);
    else
      backend.gemm(part.T(), columns, weights, 1, beta);
  };
  if (s.pixels) {
    Array columns = images.reshape({s.rows, s.width}), part = rows, weights = matrix;
    return multiply(columns, part, weights, 0);
  }
  const int64_t step = std::max<int64_t>(1, kSliceBytes / std::max<int64_t>(1, s.width * int64_t(sizeof(T))));
  const Dtype dtype = images.dtype();
  if (op != Convolution::forward) (op == Convolution::backward_data ? images : filters).fill(0);
  T* data = op == Convolution::backward_data ? images.mutable_data<T>() : nullptr;
  const T* read = data ? data : images.data<T>();
  for (int64_t begin = 0; begin < s.rows; begin += step) {
    const int64_t end = std::min(s.rows, begin + step);
    Array columns({end - begin, s.width}, dtype, images.device());
    for (int64_t g = 0; g < s.plan.groups; ++g) {
      const Slice of_group(g * s.group_out, (g + 1) * s.group_out);
      Array part = rows[{Slice(begin, end), of_group}], weights = matrix[{of_group}];
      if (op != Convolution::backward_data) gather(s, read, begin, end, g, columns.mutable_data<T>());
      multiply(columns, part, weights, 1);
      if (op == Convolution::backward_data) scatter(s, columns.data<T>(), begin, end, g, data);
    }
  }
}

}  // namespace

void convolve_columns(Backend& backend, const ConvolutionCall& call) {
  const Convolution op = call.op;
  const bool accumulate = call.accumulate;
  Array& out = call.out;
  const Dtype dtype = compute_dtype(out.dtype());
  // The computed array gets memory of its own, unless `out` has the order of the loops.
  const Array view = channels_to_end(out);
  const bool direct = view.is_contiguous() && out.dtype() == dtype && !accumulate;
  Array computed = direct ? view : Array(view.shape(), dtype, out.device());
  if (computed.size() == 0) return;
  const auto operand = [&](const Array& x) { return dense(channels_to_end(x), dtype); };
  Array images = op == Convolution::backward_data ? computed : operand(call.a);
  Array filters = op == Convolution::backward_weights ? computed : operand(call.b);
  Array results = op == Convolution::forward ? computed : operand(call.results());
  const Sizes s(call.plan, images, filters, results);
  if (s.width == 0)
    computed.fill(0);
  else if (suits_lines(s))
    by_lines(backend, op, s, images, filters, results);
  else if (dtype == float64)
    by_columns<double>(backend, op, s, images, filters, results);
  else
    by_columns<float>(backend, op, s, images, filters, results);
  if (call.bias) computed += call.bias.astype(dtype, false);
  const Array shaped = channels_to_front(computed);
  if (accumulate)
    out += shaped.astype(out.dtype(), false);
  else if (!direct)
    copy_elements(shaped, out);
}

}  // namespace chainer::cpu
