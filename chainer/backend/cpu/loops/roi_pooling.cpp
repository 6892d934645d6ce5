// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/roi_pooling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

struct Range {
  int64_t begin, end;
};

// Bin `i` of `bins` of a region from `first` to `last`, cut off at the image's ends.
Range bin(int64_t i, int64_t bins, double first, double last, int64_t length) {
  const double stride = std::max(last - first + 1, 1.0) / static_cast<double>(bins);
  const auto inside = [&](double at) {
    return static_cast<int64_t>(std::clamp(at + first, 0.0, static_cast<double>(length)));
  };
  return {inside(std::floor(static_cast<double>(i) * stride)), inside(std::ceil(static_cast<double>(i + 1) * stride))};
}

// The row of pixels (in N H W) where each bin's channels are largest, -1 where a bin is empty: (bins, channels).
template <class T>
void largest(const T* x, int64_t c, int64_t h, int64_t w, const double* rois, int64_t n_rois, int64_t outh,
             int64_t outw, double scale, int64_t* out) {
  cpu::parallel_ranges(n_rois, n_rois * h * w * c, 1, [&](int64_t from, int64_t to) {
    std::vector<T> best(static_cast<std::size_t>(c));
    for (int64_t r = from; r < to; ++r) {
      const double* roi = rois + 5 * r;
      double corner[4];
      for (int k = 0; k < 4; ++k) corner[k] = std::nearbyint(roi[k + 1] * scale);
      const int64_t image = static_cast<int64_t>(roi[0]) * h * w;
      for (int64_t i = 0; i < outh * outw; ++i) {
        int64_t* at = out + (r * outh * outw + i) * c;
        const Range ys = bin(i / outw, outh, corner[1], corner[3], h),
                    xs = bin(i % outw, outw, corner[0], corner[2], w);
        std::fill_n(at, c, int64_t(-1));
        for (int64_t y = ys.begin; y < ys.end; ++y) {
          for (int64_t p = image + y * w + xs.begin; p < image + y * w + xs.end; ++p) {
            const T* pixel = x + p * c;
            const bool first = y == ys.begin && p == image + y * w + xs.begin;
            for (int64_t k = 0; k < c; ++k) {
              const T b = best[static_cast<std::size_t>(k)];
              if (!first && (pixel[k] <= b || b != b)) continue;  // the first NaN stays
              best[static_cast<std::size_t>(k)] = pixel[k];
              at[k] = p;
            }
          }
        }
      }
    }
  });
}

// The point of each bin at which each channel is largest.
template <class T>
void largest_point(const T* x, int64_t c, const int64_t* around, const double* weights, const int64_t* starts,
                   int64_t bins, int64_t* out) {
  cpu::parallel_ranges(bins, starts[bins] * c * 4, 1, [&](int64_t from, int64_t to) {
    std::vector<T> best(static_cast<std::size_t>(c));
    for (int64_t bin = from; bin < to; ++bin) {
      int64_t* at = out + bin * c;
      std::fill_n(at, c, int64_t(-1));
      for (int64_t p = starts[bin]; p < starts[bin + 1]; ++p) {
        const double* w = weights + 4 * p;
        const int64_t* rows = around + 4 * p;
        for (int64_t k = 0; k < c; ++k) {
          const auto value = static_cast<T>(w[0] * x[rows[0] * c + k] + w[1] * x[rows[1] * c + k] +
                                            w[2] * x[rows[2] * c + k] + w[3] * x[rows[3] * c + k]);
          const T b = best[static_cast<std::size_t>(k)];
          if (at[k] >= 0 && (value <= b || b != b)) continue;  // the first NaN stays
          best[static_cast<std::size_t>(k)] = value;
          at[k] = p;
        }
      }
    }
  });
}

}  // namespace

void roi_argmax(const Array& pixels, int64_t h, int64_t w, const Array& rois, int64_t out_h, int64_t out_w,
                double spatial_scale, Array& at) {
  const int64_t channels = at.shape()[1], regions = rois.shape()[0];
  if (pixels.dtype() == Dtype::float64)
    largest(pixels.data<double>(), channels, h, w, rois.data<double>(), regions, out_h, out_w, spatial_scale,
            at.mutable_data<int64_t>());
  else
    largest(pixels.data<float>(), channels, h, w, rois.data<double>(), regions, out_h, out_w, spatial_scale,
            at.mutable_data<int64_t>());
}

void roi_align_argmax(const Array& pixels, const Array& around, const Array& weights, const Array& starts, Array& at) {
  const auto run = [&]<class T>(const T* x) {
    largest_point(x, at.shape()[1], around.data<int64_t>(), weights.data<double>(), starts.data<int64_t>(),
                  at.shape()[0], at.mutable_data<int64_t>());
  };
  if (pixels.dtype() == Dtype::float64)
    run(pixels.data<double>());
  else
    run(pixels.data<float>());
}

}  // namespace chainer::host_kernels
