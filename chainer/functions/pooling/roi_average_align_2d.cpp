// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/functions/array.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"
#include "chainer/functions/sparse.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

using Weights = std::vector<std::pair<int64_t, double>>;

// The weight of each pixel in the mean of a bin's points, along one axis. Points up to one pixel outside the image take
// the value of its border, points further out are zero.
Weights along(double begin, double end, int64_t bin, int64_t bins, int64_t ratio, int64_t length) {
  const double width = std::max(end - begin, 1.0) / static_cast<double>(bins);
  const double points = ratio > 0 ? static_cast<double>(ratio) : std::ceil(width), step = width / points;
  const double first = begin + static_cast<double>(bin) * width + step / 2;
  std::vector<double> weight(static_cast<std::size_t>(length));
  const double from = std::max(0.0, std::floor((-1 - first) / step));
  const double to = std::min(points, std::ceil((static_cast<double>(length) - first) / step) + 1);
  for (double i = from; i < to; ++i) {
    const double at = first + i * step;
    if (at < -1 || at > static_cast<double>(length)) continue;
    const double inside = std::clamp(at, 0.0, static_cast<double>(length - 1));
    const auto low = static_cast<std::size_t>(inside);
    const double part = inside - static_cast<double>(low);
    weight[low] += (1 - part) / points;
    if (part > 0) weight[low + 1] += part / points;
  }
  Weights out;
  for (int64_t i = 0; i < length; ++i)
    if (const double w = weight[static_cast<std::size_t>(i)]; w != 0) out.emplace_back(i, w);
  return out;
}

}  // namespace

// The result is linear in x: a sparse matrix of weights times the pixels. Its gradients are also sparse products.
Variable RoiAverageAlign2D::operator()(const Variable& x, const Variable& rois, const Variable& roi_indices,
                                       IntPair outsize, double spatial_scale, const RoiAverageAlign2DOptions& o) const {
  type_check::check("ROIAverageAlign2D", {x.array(), rois.array(), roi_indices.array()},
                    [](const type_check::TypeInfos& in) {
                      in.names({"x", "rois", "roi_indices"});
                      using type_check::expect;
                      expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4, in[1].dtype() == in[0].dtype());
                      expect(in[1].ndim() == 2, in[1].shape(1) == 4, in[2].dtype().kind() == 'i');
                      expect(in[2].ndim() == 1, in[1].shape(0) == in[2].shape(0));
                    });
  const IntPair ratio = o.sampling_ratio.value_or(IntPair(0));
  if (outsize.h < 1 || outsize.w < 1 || !(spatial_scale > 0) || (o.sampling_ratio && (ratio.h < 1 || ratio.w < 1)))
    throw ValueError("roi_average_align_2d: outsize (", outsize.h, ", ", outsize.w, "), spatial_scale ", spatial_scale,
                     " and sampling_ratio (if given) must be positive");
  const Shape& s = x.shape();
  if (x.size() == 0) return zeros({rois.shape()[0], s[1], outsize.h, outsize.w}, x.dtype(), x.device());
  const int64_t n_rois = rois.shape()[0], c = s[1], h = s[2], w = s[3], bins = outsize.h * outsize.w;
  const Array regions = dense(to_host(rois.array()), float64), images = dense(to_host(roi_indices.array()), int64);
  std::vector<int32_t> row, col;
  std::vector<double> weight;
  for (int64_t r = 0; r < n_rois; ++r) {
    double corner[4];
    for (int k = 0; k < 4; ++k) {
      corner[k] = regions.data<double>()[4 * r + k] * spatial_scale;
      if (!std::isfinite(corner[k]))
        throw ValueError("roi_average_align_2d: region ", r, " has a coordinate that is not finite: ", corner[k]);
    }
    const int64_t image = images.data<int64_t>()[r];
    if (image < 0 || image >= s[0])
      throw IndexError("roi_average_align_2d: region ", r, " refers to image ", image, ", x has ", s[0], " images");
    for (int64_t i = 0; i < outsize.h; ++i) {
      const Weights ys = along(corner[0], corner[2], i, outsize.h, ratio.h, h);
      for (int64_t j = 0; j < outsize.w; ++j) {
        for (const auto& [px, wx] : along(corner[1], corner[3], j, outsize.w, ratio.w, w)) {
          for (const auto& [py, wy] : ys) {
            row.push_back(static_cast<int32_t>(r * bins + i * outsize.w + j));
            col.push_back(static_cast<int32_t>((image * h + py) * w + px));
            weight.push_back(wy * wx);
          }
        }
      }
    }
  }
  const Dtype d = compute_dtype(x.dtype());
  if (weight.empty()) return zeros({n_rois, c, outsize.h, outsize.w}, x.dtype(), x.device());
  const utils::CooMatrix weights(array(weight).astype(d).to_device(x.device()), array(row), array(col),
                                 {n_rois * bins, s[0] * h * w}, {.order = "other"});
  const Variable rows = cast(moveaxis(x, 1, -1).reshape({s[0] * h * w, c}), d);
  const Variable y = sparse_matmul(weights, rows).reshape({n_rois, outsize.h, outsize.w, c});
  return cast(moveaxis(y, -1, 1), x.dtype());
}

}  // namespace chainer::functions
