#include <algorithm>
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/core/parallel.h"
#include "chainer/functions/array.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
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
void largest(const T* x, const Shape& s, const double* rois, int64_t n_rois, int64_t outh, int64_t outw, double scale,
             int64_t* out) {
  const int64_t c = s[1], h = s[2], w = s[3];
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

}  // namespace

Variable RoiPooling2D::operator()(const Variable& x, const Variable& rois, int64_t outh, int64_t outw,
                                  double spatial_scale) const {
  type_check::check("ROIPooling2D", {x.array(), rois.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "rois"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4, in[0].dtype() == in[1].dtype());
    expect(in[1].ndim() == 2, in[1].shape(1) == 5);
  });
  if (outh < 1 || outw < 1 || !(spatial_scale > 0))
    throw ValueError("roi_pooling_2d: outh, outw and spatial_scale must be positive, not ", outh, ", ", outw, " and ",
                     spatial_scale);
  const Shape& s = x.shape();
  const int64_t n_rois = rois.shape()[0], bins = n_rois * outh * outw;
  const Array regions = dense(to_host(rois.array()), float64);
  const double* numbers = regions.data<double>();
  for (int64_t i = 0; i < regions.size(); ++i)
    if (!std::isfinite(numbers[i]) || (i % 5 == 0 && !(numbers[i] >= 0 && numbers[i] < static_cast<double>(s[0]))))
      throw ValueError("roi_pooling_2d: region ", i / 5, " has ", numbers[i],
                       i % 5 == 0 ? " as its image, of " : " as a corner; images: ", s[0]);
  Array at({bins, s[1]}, int64);
  const Variable rows = moveaxis(x, 1, -1).reshape({s[0] * s[2] * s[3], s[1]});
  const Array pixels = dense(to_host(rows.array()), compute_dtype(x.dtype()));
  if (pixels.dtype() == float64)
    largest(pixels.data<double>(), s, numbers, n_rois, outh, outw, spatial_scale, at.mutable_data<int64_t>());
  else
    largest(pixels.data<float>(), s, numbers, n_rois, outh, outw, spatial_scale, at.mutable_data<int64_t>());
  const Array found = (at >= 0).to_device(x.device());
  if (x.size() == 0) return zeros({n_rois, s[1], outh, outw}, x.dtype(), x.device());
  const Variable picked = get_item(rows, {chainer::maximum(at, 0), arange(s[1])});
  const Variable y = where(found, picked, zeros(picked.shape(), x.dtype(), x.device()));
  return moveaxis(y.reshape({n_rois, outh, outw, s[1]}), -1, 1);
}

}  // namespace chainer::functions
