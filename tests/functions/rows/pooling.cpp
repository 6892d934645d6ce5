// SPDX-License-Identifier: MIT
// Spatial pooling. Inputs named `last` have their channels innermost in memory.
#include <algorithm>
#include <cmath>

#include "table.h"

namespace table {
namespace {

Variable to_front(const Variable& x) {
  Dims order{0, x.ndim() - 1};
  for (int d = 1; d < x.ndim() - 1; ++d) order.push_back(d);
  return F::transpose(x, order);
}
Array places(const Shape& s, int64_t volume) {
  Array a(s, int64);
  for (int64_t i = 0; i < a.size(); ++i) a.mutable_data<int64_t>()[i] = (i * 7 + 3) % volume;
  return a;
}

}  // namespace

void pooling(std::vector<OpCase>& t) {
  const auto add = [&](const std::string& name, const std::string& python, auto f, const Arrays& in) -> OpCase& {
    t.push_back(row(name, python, f, in));
    return t.back();
  };
  using Vs = const Variables&;
  const std::string front = "F.transpose(x[0], (0, 3, 1, 2))";
  const Array image = apart({2, 3, 5, 6}), odd = apart({1, 2, 7, 5}), line = apart({2, 3, 7}),
              cube = apart({2, 2, 4, 3, 5}), last = apart({2, 5, 4, 3}), wide = apart({1, 4, 3, 37}),
              cube_last = apart({1, 3, 4, 2, 3}), none = apart({0, 2, 4, 4}), pixel = apart({2, 3, 1, 1}),
              four = apart({1, 2, 2, 3, 2, 3});

  // max_pooling
  add("max_pooling_2d", "F.max_pooling_2d(x[0], 2)", [](Vs x) { return F::max_pooling_2d(x[0], 2); }, {image});
  add("max_pooling_2d", "F.max_pooling_2d(x[0], (3, 2), stride=(2, 1), pad=1, cover_all=False)",
      [](Vs x) {
        return F::max_pooling_2d(x[0], {3, 2}, {.stride = {2, 1}, .pad = 1, .cover_all = false});
      },
      {odd});
  add("max_pooling_2d", "F.max_pooling_2d(x[0], 3, stride=2, pad=(1, 0))",
      [](Vs x) {
        return F::max_pooling_2d(x[0], 3, {.stride = 2, .pad = {1, 0}});
      },
      {odd});
  add("max_pooling_2d", "F.max_pooling_2d(" + front + ", 3, stride=2)",
      [](Vs x) { return F::max_pooling_2d(to_front(x[0]), 3, {.stride = 2}); }, {last});
  add("max_pooling_2d", "F.max_pooling_2d(" + front + ", 2, stride=1, pad=1)",
      [](Vs x) { return F::max_pooling_2d(to_front(x[0]), 2, {.stride = 1, .pad = 1}); }, {wide});
  add("max_pooling_2d", "F.max_pooling_2d(x[0], 5, stride=3, pad=2)",
      [](Vs x) { return F::max_pooling_2d(x[0], 5, {.stride = 3, .pad = 2}); }, {image});
  add("max_pooling_2d", "F.max_pooling_2d(x[0], 2, stride=3, cover_all=False)",
      [](Vs x) { return F::max_pooling_2d(x[0], 2, {.stride = 3, .cover_all = false}); }, {wide});
  add("max_pooling_2d", "F.max_pooling_2d(x[0], 2, stride=2)",
      [](Vs x) { return F::max_pooling_2d(x[0], 2, {.stride = 2}); }, {pixel});
  add("max_pooling_2d", "", [](Vs x) { return F::max_pooling_2d(x[0], 2); }, {none}).reference = [](const Arrays&) {
    return Arrays{zeros({0, 2, 2, 2}, float64)};
  };
  add("max_pooling_1d", "F.max_pooling_1d(x[0], 2)", [](Vs x) { return F::max_pooling_1d(x[0], 2); }, {line});
  add("max_pooling_1d", "F.max_pooling_1d(x[0], 3, stride=1, pad=1)",
      [](Vs x) { return F::max_pooling_1d(x[0], 3, {.stride = 1, .pad = 1}); }, {line});
  add("max_pooling_1d", "F.max_pooling_1d(F.transpose(x[0], (0, 2, 1)), 4, stride=2, pad=1, cover_all=False)",
      [](Vs x) { return F::max_pooling_1d(to_front(x[0]), 4, {.stride = 2, .pad = 1, .cover_all = false}); }, {line});
  add("max_pooling_3d", "F.max_pooling_3d(x[0], 2)", [](Vs x) { return F::max_pooling_3d(x[0], 2); }, {cube});
  add("max_pooling_3d", "F.max_pooling_3d(x[0], (2, 1, 3), stride=(1, 2, 2), pad=(1, 0, 1))",
      [](Vs x) {
        return F::max_pooling_3d(x[0], {2, 1, 3}, {.stride = {1, 2, 2}, .pad = {1, 0, 1}});
      },
      {cube});
  add("max_pooling_3d", "F.max_pooling_3d(F.transpose(x[0], (0, 4, 1, 2, 3)), 2, stride=1, cover_all=False)",
      [](Vs x) { return F::max_pooling_3d(to_front(x[0]), 2, {.stride = 1, .cover_all = false}); }, {cube_last});
  add("max_pooling_nd", "F.max_pooling_nd(x[0], 2)", [](Vs x) { return F::max_pooling_nd(x[0], 2); }, {four});
  add("max_pooling_nd", "F.max_pooling_nd(x[0], 3, stride=2, pad=1)",
      [](Vs x) { return F::max_pooling_nd(x[0], 3, {.stride = 2, .pad = 1}); }, {line});
  add("max_pooling_nd", "F.max_pooling_nd(x[0], (2, 3), stride=(2, 1), cover_all=False)",
      [](Vs x) {
        return F::max_pooling_nd(x[0], {2, 3}, {.stride = {2, 1}, .cover_all = false});
      },
      {image});

  // average_pooling
  add("average_pooling_2d", "F.average_pooling_2d(x[0], 2)", [](Vs x) { return F::average_pooling_2d(x[0], 2); },
      {image});
  add("average_pooling_2d", "F.average_pooling_2d(x[0], (3, 2), stride=(2, 1), pad=1)",
      [](Vs x) {
        return F::average_pooling_2d(x[0], {3, 2}, {.stride = {2, 1}, .pad = 1});
      },
      {odd});
  add("average_pooling_2d", "F.average_pooling_2d(" + front + ", 3, stride=2, pad=1)",
      [](Vs x) { return F::average_pooling_2d(to_front(x[0]), 3, {.stride = 2, .pad = 1}); }, {last});
  add("average_pooling_2d", "F.average_pooling_2d(" + front + ", (4, 3))",
      [](Vs x) {
        return F::average_pooling_2d(to_front(x[0]), {4, 3});
      },
      {wide});
  add("average_pooling_2d", "F.average_pooling_2d(x[0], 7, pad=3)",
      [](Vs x) { return F::average_pooling_2d(x[0], 7, {.pad = 3}); }, {pixel});
  add("average_pooling_1d", "F.average_pooling_1d(x[0], 2)", [](Vs x) { return F::average_pooling_1d(x[0], 2); },
      {line});
  // The release has no gradient of averages without padding.
  const auto without_padding = [&](const std::string& name, const std::string& python, auto f, const Arrays& in) {
    add(name, "", f, in);
    add(name, python, f, in).differentiable = false;
  };
  without_padding(
      "average_pooling_1d", "F.average_pooling_1d(x[0], 3, stride=2, pad=1, pad_value=None)",
      [](Vs x) { return F::average_pooling_1d(x[0], 3, {.stride = 2, .pad = 1, .pad_value = std::nullopt}); }, {line});
  add("average_pooling_3d", "F.average_pooling_3d(x[0], 2, pad=1)",
      [](Vs x) { return F::average_pooling_3d(x[0], 2, {.pad = 1}); }, {cube});
  add("average_pooling_3d", "F.average_pooling_3d(F.transpose(x[0], (0, 4, 1, 2, 3)), (1, 2, 2), stride=1)",
      [](Vs x) {
        return F::average_pooling_3d(to_front(x[0]), {1, 2, 2}, {.stride = 1});
      },
      {cube_last});
  without_padding(
      "average_pooling_3d", "F.average_pooling_3d(x[0], (2, 3, 3), stride=(2, 1, 2), pad=1, pad_value=None)",
      [](Vs x) {
        return F::average_pooling_3d(x[0], {2, 3, 3}, {.stride = {2, 1, 2}, .pad = 1, .pad_value = std::nullopt});
      },
      {cube});
  add("average_pooling_nd", "F.average_pooling_nd(x[0], 2)", [](Vs x) { return F::average_pooling_nd(x[0], 2); },
      {four});
  add("average_pooling_nd", "F.average_pooling_nd(x[0], (2, 3), stride=1, pad=(0, 1))",
      [](Vs x) {
        return F::average_pooling_nd(x[0], {2, 3}, {.stride = 1, .pad = {0, 1}});
      },
      {image});
  without_padding(
      "average_pooling_nd", "F.average_pooling_nd(" + front + ", (2, 3), stride=(1, 2), pad=1, pad_value=None)",
      [](Vs x) {
        return F::average_pooling_nd(to_front(x[0]), {2, 3}, {.stride = {1, 2}, .pad = 1, .pad_value = std::nullopt});
      },
      {last});

  // unpooling and upsampling
  add("unpooling_2d", "F.unpooling_2d(x[0], 2)", [](Vs x) { return F::unpooling_2d(x[0], 2); }, {image});
  add("unpooling_2d", "F.unpooling_2d(x[0], (3, 2), stride=(2, 1), pad=1, cover_all=False)",
      [](Vs x) {
        return F::unpooling_2d(x[0], {3, 2}, {.stride = {2, 1}, .pad = 1, .cover_all = false});
      },
      {odd});
  add("unpooling_2d", "F.unpooling_2d(" + front + ", 3, stride=2, outsize=(10, 9))",
      [](Vs x) {
        return F::unpooling_2d(to_front(x[0]), 3, {.stride = 2, .outsize = {10, 9}});
      },
      {last});
  add("unpooling_1d", "F.unpooling_1d(x[0], 2)", [](Vs x) { return F::unpooling_1d(x[0], 2); }, {line});
  add("unpooling_1d", "F.unpooling_1d(x[0], 3, stride=1, pad=1, cover_all=False)",
      [](Vs x) { return F::unpooling_1d(x[0], 3, {.stride = 1, .pad = 1, .cover_all = false}); }, {line});
  add("unpooling_1d", "F.unpooling_1d(F.transpose(x[0], (0, 2, 1)), 2, outsize=6)",
      [](Vs x) { return F::unpooling_1d(to_front(x[0]), 2, {.outsize = 6}); }, {line[{Slice(), Slice(), Slice(0, 3)}]})
      .python = "F.unpooling_1d(F.transpose(x[0], (0, 2, 1)), 2, outsize=(6,))";
  add("unpooling_3d", "F.unpooling_3d(x[0], 2)", [](Vs x) { return F::unpooling_3d(x[0], 2); }, {cube});
  add("unpooling_3d", "F.unpooling_3d(x[0], (2, 1, 3), stride=(1, 2, 2), cover_all=False)",
      [](Vs x) {
        return F::unpooling_3d(x[0], {2, 1, 3}, {.stride = {1, 2, 2}, .cover_all = false});
      },
      {cube});
  add("unpooling_3d", "F.unpooling_3d(F.transpose(x[0], (0, 4, 1, 2, 3)), 2, stride=1, pad=1)",
      [](Vs x) { return F::unpooling_3d(to_front(x[0]), 2, {.stride = 1, .pad = 1}); }, {normal({1, 3, 4, 3, 2})});
  add("unpooling_nd", "F.unpooling_nd(x[0], 2, cover_all=False)",
      [](Vs x) { return F::unpooling_nd(x[0], 2, {.cover_all = false}); }, {four});
  add("unpooling_nd", "F.unpooling_nd(x[0], 3, stride=2, pad=1)",
      [](Vs x) { return F::unpooling_nd(x[0], 3, {.stride = 2, .pad = 1}); }, {line});
  add("unpooling_nd", "F.unpooling_nd(x[0], (2, 3), stride=(2, 1), outsize=(10, 8))",
      [](Vs x) {
        return F::unpooling_nd(x[0], {2, 3}, {.stride = {2, 1}, .outsize = {10, 8}});
      },
      {image});
  const Array of_image = places(image.shape(), 4), of_last = places({2, 3, 5, 4}, 9), of_odd = places(odd.shape(), 6);
  add("upsampling_2d", "F.upsampling_2d(x[0], x[1].array, 2)",
      [](Vs x) { return F::upsampling_2d(x[0], x[1].array(), 2); }, {image, of_image});
  add("upsampling_2d", "F.upsampling_2d(x[0], x[1].array, (3, 2), stride=(2, 1), pad=1, cover_all=False)",
      [](Vs x) {
        return F::upsampling_2d(x[0], x[1].array(), {3, 2}, {.stride = {2, 1}, .pad = 1, .cover_all = false});
      },
      {odd, of_odd});
  add("upsampling_2d", "F.upsampling_2d(" + front + ", x[1].array, 3, stride=2, outsize=(10, 9))",
      [](Vs x) {
        return F::upsampling_2d(to_front(x[0]), x[1].array(), 3, {.stride = 2, .outsize = {10, 9}});
      },
      {last, of_last});

  // Regions are constants.
  const auto regions = [](const Array& rois, Dtype d) { return rois.astype(d); };
  const Array rois = array({{0., 1., 0., 3., 2.}, {1., -2., 1., 9., 4.}, {0., 4., 4., 5., 4.}});
  const std::string words = "np.array([[0., 1, 0, 3, 2], [1, -2, 1, 9, 4], [0, 4, 4, 5, 4]])";
  const auto roi_pooling = [&](const std::string& input, int64_t h, int64_t w, double scale, const Array& x) {
    add("roi_pooling_2d", text("F.roi_pooling_2d(", input, ", ", words, ", ", h, ", ", w, ", ", scale, ")"),
        [=](Vs v) {
          const Variable images = input == "x[0]" ? v[0] : to_front(v[0]);
          return F::roi_pooling_2d(images, regions(rois, v[0].dtype()), h, w, scale);
        },
        {x});
  };
  roi_pooling("x[0]", 2, 2, 1, image);
  roi_pooling("x[0]", 3, 4, 0.5, image);
  roi_pooling(front, 1, 5, 1.5, last);
  // The release accepts float32 only, so the reference is written as plain loops.
  const Array of = array({0, 1, 1});
  const auto align = [&](bool average, int64_t h, int64_t w, double scale, std::optional<IntPair> ratio,
                         const Array& x) {
    const Array boxes = array({{0., 1., 3., 2.}, {-3., -2., 9., 4.}, {1.5, 0.25, 1.75, 3.}});
    add(average ? "roi_average_align_2d" : "roi_max_align_2d", not_in_release,
        [=](Vs v) {
          const Array rois = regions(boxes, v[0].dtype());
          return average ? F::roi_average_align_2d(v[0], rois, of, {h, w}, scale, {.sampling_ratio = ratio})
                         : F::roi_max_align_2d(v[0], rois, of, {h, w}, scale, {.sampling_ratio = ratio});
        },
        {x})
        .reference = [=](const Arrays& in) {
      Array y = zeros({3, in[0].shape()[1], h, w}, float64);
      const auto pixel = [&](int64_t n, int64_t c, double py, double px) {
        const auto height = static_cast<double>(in[0].shape()[2]), width = static_cast<double>(in[0].shape()[3]);
        if (py < -1 || py > height || px < -1 || px > width) return std::nan("");
        py = std::clamp(py, 0.0, height - 1), px = std::clamp(px, 0.0, width - 1);
        const double ly = py - std::floor(py), lx = px - std::floor(px);
        const auto at = [&](double b, double a) {
          return in[0]
                   [{n, c, static_cast<int64_t>(std::min(b, height - 1)), static_cast<int64_t>(std::min(a, width - 1))}]
                       .item<double>();
        };
        const double t = std::floor(py), l = std::floor(px);
        return (1 - ly) * ((1 - lx) * at(t, l) + lx * at(t, l + 1)) +
               ly * ((1 - lx) * at(t + 1, l) + lx * at(t + 1, l + 1));
      };
      for (int64_t r = 0; r < 3; ++r)
        for (int64_t c = 0; c < y.shape()[1]; ++c)
          for (int64_t i = 0; i < h; ++i)
            for (int64_t j = 0; j < w; ++j) {
              const auto corner = [&](int64_t k) { return boxes[{r, k}].item<double>() * scale; };
              const double bh = std::max(corner(2) - corner(0), 1.0) / static_cast<double>(h),
                           bw = std::max(corner(3) - corner(1), 1.0) / static_cast<double>(w);
              const double nh = ratio ? static_cast<double>(ratio->h) : std::ceil(bh),
                           nw = ratio ? static_cast<double>(ratio->w) : std::ceil(bw);
              double sum = 0, most = std::nan("");
              for (double a = 0; a < nh; ++a)
                for (double b = 0; b < nw; ++b) {
                  const double v =
                      pixel(of[r].item<int64_t>(), c, corner(0) + bh * (static_cast<double>(i) + (a + 0.5) / nh),
                            corner(1) + bw * (static_cast<double>(j) + (b + 0.5) / nw));
                  if (!std::isnan(v)) sum += v, most = std::fmax(most, v);
                }
              y.set({r, c, i, j}, average ? sum / (nh * nw) : std::isnan(most) ? 0 : most);
            }
      return Arrays{y};
    };
  };
  for (const bool average : {true, false}) {
    align(average, 2, 2, 1, std::nullopt, image);
    align(average, 3, 1, 0.75, IntPair(2, 3), image);
    align(average, 1, 2, 1.5, IntPair(1), average ? normal({2, 2, 1, 4}) : apart({2, 2, 1, 4}));
  }
  const auto pool = [&](bool average, int64_t h, int64_t w, double scale, const Array& x) {
    const Array boxes = array({{0., 1., 4., 3.}, {-3., -2., 9., 4.}, {4., 1., 3., 7.}});
    add(average ? "roi_average_pooling_2d" : "roi_max_pooling_2d", not_in_release,
        [=](Vs v) {
          const Array rois = regions(boxes, v[0].dtype());
          return average ? F::roi_average_pooling_2d(v[0], rois, of, {h, w}, scale)
                         : F::roi_max_pooling_2d(v[0], rois, of, {h, w}, scale);
        },
        {x})
        .reference = [=](const Arrays& in) {
      Array y = zeros({3, in[0].shape()[1], h, w}, float64);
      for (int64_t r = 0; r < 3; ++r) {
        const auto corner = [&](int64_t k) { return std::nearbyint(boxes[{r, k}].item<double>() * scale); };
        const auto bounds = [&](int64_t k, int64_t bin, int64_t bins, int64_t length) {
          const double begin = corner(k), step = std::max(corner(k + 2) - begin, 1.0) / static_cast<double>(bins);
          const auto inside = [&](double at) {
            return static_cast<int64_t>(std::clamp(begin + at, 0.0, static_cast<double>(length)));
          };
          return std::pair(inside(std::floor(static_cast<double>(bin) * step)),
                           inside(std::ceil(static_cast<double>(bin + 1) * step)));
        };
        for (int64_t i = 0; i < h; ++i)
          for (int64_t j = 0; j < w; ++j) {
            const auto [top, bottom] = bounds(0, i, h, in[0].shape()[2]);
            const auto [left, right] = bounds(1, j, w, in[0].shape()[3]);
            for (int64_t c = 0; c < y.shape()[1]; ++c) {
              double sum = 0, most = -1e300;
              for (int64_t a = top; a < bottom; ++a)
                for (int64_t b = left; b < right; ++b) {
                  const double v = in[0][{of[r].item<int64_t>(), c, a, b}].item<double>();
                  sum += v, most = std::max(most, v);
                }
              const auto n = static_cast<double>((bottom - top) * (right - left));
              y.set({r, c, i, j}, n == 0 ? 0 : average ? sum / n : most);
            }
          }
      }
      return Arrays{y};
    };
  };
  for (const bool average : {true, false}) {
    pool(average, 2, 2, 1, image);
    pool(average, 3, 4, 0.5, image);
    pool(average, 1, 5, 1.5, last.transpose({0, 3, 1, 2}));
  }

  // spatial_pyramid_pooling_2d
  for (const Array& x : {normal({2, 3, 6, 8}), normal({1, 2, 7, 6}), normal({2, 1, 4, 8})})
    add("spatial_pyramid_pooling_2d", "F.spatial_pyramid_pooling_2d(x[0], 3, pooling='max')",
        [](Vs v) { return F::spatial_pyramid_pooling_2d(v[0], 3); }, {x});
}

}  // namespace table
