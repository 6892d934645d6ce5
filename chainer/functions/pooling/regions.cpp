// SPDX-License-Identifier: MIT
#include "chainer/functions/pooling/regions.h"

#include <algorithm>
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/roi_pooling.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/sparse.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

void expect_dtype_of_regions(const type_check::TypeInfos& in) {
  if (config().dtype.get().products)
    type_check::expect(in[1].dtype().kind() == 'f');
  else
    type_check::expect(in[1].dtype() == in[0].dtype());
}

void check_regions(std::string_view name, const char* label, const Variable& x, const Variable& rois,
                   const Variable& roi_indices, IntPair outsize, double spatial_scale) {
  type_check::check(label, {x.array(), rois.array(), roi_indices.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "rois", "roi_indices"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
    expect_dtype_of_regions(in);
    expect(in[1].ndim() == 2, in[1].shape(1) == 4, in[2].dtype().kind() == 'i');
    expect(in[2].ndim() == 1, in[1].shape(0) == in[2].shape(0));
  });
  if (outsize.h < 1 || outsize.w < 1 || !(spatial_scale > 0))
    throw ValueError(name, ": outsize (", outsize.h, ", ", outsize.w, ") and spatial_scale ", spatial_scale,
                     " must be positive");
}

Regions read_regions(std::string_view name, const char* label, const Variable& x, const Variable& rois,
                     const Variable& roi_indices, IntPair outsize, double spatial_scale) {
  check_regions(name, label, x, rois, roi_indices, outsize, spatial_scale);
  const Array numbers = dense(to_host(rois.array()), float64), images = dense(to_host(roi_indices.array()), int64);
  Regions out;
  for (int64_t r = 0; r < rois.shape()[0]; ++r) {
    std::array<double, 4>& corners = out.corners.emplace_back();
    for (int k = 0; k < 4; ++k) {
      const double corner = corners[static_cast<std::size_t>(k)] = numbers.data<double>()[4 * r + k] * spatial_scale;
      if (!std::isfinite(corner))
        throw ValueError(name, ": region ", r, " has a coordinate that is not finite: ", corner);
    }
    out.images.push_back(images.data<int64_t>()[r]);
    if (out.images.back() < 0 || out.images.back() >= x.shape()[0])
      throw IndexError(name, ": region ", r, " refers to image ", out.images.back(), ", x has ", x.shape()[0],
                       " images");
  }
  return out;
}

void round_corners(Regions& regions) {
  for (std::array<double, 4>& corners : regions.corners)
    for (double& corner : corners) corner = std::nearbyint(corner);
}

Variable region_sums(const Variable& x, const Regions& regions, IntPair outsize, const WeightsAlong& along) {
  const Shape& s = x.shape();
  const auto n_rois = static_cast<int64_t>(regions.images.size());
  const int64_t c = s[1], h = s[2], w = s[3], bins = outsize.h * outsize.w;
  std::vector<int32_t> row, col;
  std::vector<double> weight;
  for (int64_t r = 0; x.size() && r < n_rois; ++r) {
    const auto& [top, left, bottom, right] = regions.corners[static_cast<std::size_t>(r)];
    const int64_t image = regions.images[static_cast<std::size_t>(r)];
    for (int64_t i = 0; i < outsize.h; ++i) {
      const PixelWeights ys = along(top, bottom, i, outsize.h, h, 0);
      for (int64_t j = 0; j < outsize.w; ++j) {
        for (const auto& [px, wx] : along(left, right, j, outsize.w, w, 1)) {
          for (const auto& [py, wy] : ys) {
            row.push_back(static_cast<int32_t>(r * bins + i * outsize.w + j));
            col.push_back(static_cast<int32_t>((image * h + py) * w + px));
            weight.push_back(wy * wx);
          }
        }
      }
    }
  }
  if (weight.empty()) return zeros({n_rois, c, outsize.h, outsize.w}, x.dtype(), x.device());
  const Dtype d = compute_dtype(x.dtype());
  const utils::CooMatrix weights(array(weight).astype(d).to_device(x.device()), array(row), array(col),
                                 {n_rois * bins, s[0] * h * w}, {.order = "other"});
  const Variable rows = cast(moveaxis(x, 1, -1).reshape({s[0] * h * w, c}), d);
  const Variable y = sparse_matmul(weights, rows).reshape({n_rois, outsize.h, outsize.w, c});
  return cast(moveaxis(y, -1, 1), x.dtype());
}

Variable region_maxima(const Variable& x, const Array& rois, IntPair outsize, double spatial_scale) {
  const Shape& s = x.shape();
  const int64_t n_rois = rois.shape()[0], bins = n_rois * outsize.h * outsize.w;
  if (x.size() == 0) return zeros({n_rois, s[1], outsize.h, outsize.w}, x.dtype(), x.device());
  const Device device = x.device();
  const Variable rows = moveaxis(x, 1, -1).reshape({s[0] * s[2] * s[3], s[1]});
  const Array pixels = dense(rows.array(), compute_dtype(x.dtype()));
  Array at({bins, s[1]}, int64, device);
  const auto on_host = [&] {
    host_kernels::roi_argmax(to_host(pixels), s[2], s[3], to_host(rois), outsize.h, outsize.w, spatial_scale, at);
  };
  if (device.is_host()) {
    on_host();
  } else if (!device.backend().roi_argmax(pixels, s[2], s[3], rois.to_device(device), outsize.h, outsize.w,
                                          spatial_scale, at)) {
    at = Array(at.shape(), int64);
    on_host();
  }
  const Array found = (at >= 0).to_device(device);
  const Variable picked = get_item(rows, {chainer::maximum(at, 0), arange(s[1])});
  const Variable y = where(found, picked, zeros(picked.shape(), x.dtype(), device));
  return moveaxis(y.reshape({n_rois, outsize.h, outsize.w, s[1]}), -1, 1);
}

PointsAlong points_along(double begin, double end, int64_t bin, int64_t bins, int64_t ratio, int64_t length) {
  const double width = std::max(end - begin, 1.0) / static_cast<double>(bins);
  PointsAlong out{ratio > 0 ? static_cast<double>(ratio) : std::ceil(width), {}};
  const double step = width / out.count, first = begin + static_cast<double>(bin) * width + step / 2;
  const double from = std::max(0.0, std::floor((-1 - first) / step));
  const double to = std::min(out.count, std::ceil((static_cast<double>(length) - first) / step) + 1);
  for (double i = from; i < to; ++i) {
    const double at = first + i * step;
    if (at < -1 || at > static_cast<double>(length)) continue;
    const double inside = std::clamp(at, 0.0, static_cast<double>(length - 1));
    out.inside.push_back({static_cast<int64_t>(inside), inside - std::floor(inside)});
  }
  return out;
}

IntPair checked_ratio(std::string_view name, const std::optional<IntPair>& ratio) {
  if (ratio && (ratio->h < 1 || ratio->w < 1))
    throw ValueError(name, ": sampling_ratio must be positive, not (", ratio->h, ", ", ratio->w, ")");
  return ratio.value_or(IntPair(0));
}

}  // namespace chainer::functions
