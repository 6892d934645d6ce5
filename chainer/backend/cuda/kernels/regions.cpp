// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/regions.h"

#include <math.h>

namespace chainer::cuda {
namespace {

struct PixelsAlong {
  int64_t begin, end;
};

DEVICE int64_t pixel_inside(double at, int64_t length) {
  const double most = static_cast<double>(length);
  return converted<int64_t>(at < 0.0 ? 0.0 : most < at ? most : at);
}

// Bin `i` of `bins` of a region from `first` to `last`, cut off at the image's ends.
DEVICE PixelsAlong pixels_of_bin(int64_t i, int64_t bins, double first, double last, int64_t length) {
  const double size = last - first + 1, stride = (size < 1.0 ? 1.0 : size) / static_cast<double>(bins);
  return {pixel_inside(::floor(static_cast<double>(i) * stride) + first, length),
          pixel_inside(::ceil(static_cast<double>(i + 1) * stride) + first, length)};
}

// A thread for each channel of each bin. The first NaN stays.
template <class T>
DEVICE void largest_pixels(const RegionsArgs& a) {
  const T* const pixels = static_cast<const T*>(a.pixels);
  for (int64_t n = first_element(); n < a.size; n += element_step()) {
    const int64_t channel = n % a.channels, bin = n / a.channels, place = bin % (a.out_h * a.out_w);
    const double* const roi = a.rois + bin / (a.out_h * a.out_w) * 5;
    const auto corner = [&](int k) { return ::rint(roi[k] * a.scale); };
    const PixelsAlong ys = pixels_of_bin(place / a.out_w, a.out_h, corner(2), corner(4), a.h),
                      xs = pixels_of_bin(place % a.out_w, a.out_w, corner(1), corner(3), a.w);
    const int64_t image = static_cast<int64_t>(roi[0]) * a.h;
    int64_t found = -1;
    T best = T(0);
    for (int64_t y = ys.begin; y < ys.end; ++y)
      for (int64_t x = xs.begin; x < xs.end; ++x) {
        const int64_t row = (image + y) * a.w + x;
        const T v = pixels[row * a.channels + channel];
        if (found < 0 || (!(v <= best) && best == best)) best = v, found = row;
      }
    a.at[n] = found;
  }
}

template <class T>
DEVICE void largest_points(const PointsArgs& a) {
  const T* const pixels = static_cast<const T*>(a.pixels);
  for (int64_t n = first_element(); n < a.size; n += element_step()) {
    const int64_t channel = n % a.channels, bin = n / a.channels;
    int64_t found = -1;
    T best = T(0);
    for (int64_t p = a.starts[bin]; p < a.starts[bin + 1]; ++p) {
      const double* const w = a.weights + 4 * p;
      const auto pixel = [&](int k) { return pixels[a.around[4 * p + k] * a.channels + channel]; };
      const T v = static_cast<T>(w[0] * pixel(0) + w[1] * pixel(1) + w[2] * pixel(2) + w[3] * pixel(3));
      if (found < 0 || (!(v <= best) && best == best)) best = v, found = p;
    }
    a.at[n] = found;
  }
}

}  // namespace

KERNEL(largest_pixels_float32, RegionsArgs) { largest_pixels<float>(a); }
KERNEL(largest_pixels_float64, RegionsArgs) { largest_pixels<double>(a); }
KERNEL(largest_points_float32, PointsArgs) { largest_points<float>(a); }
KERNEL(largest_points_float64, PointsArgs) { largest_points<double>(a); }

}  // namespace chainer::cuda
